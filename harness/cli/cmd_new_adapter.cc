#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "harness/cli/adapter_skeleton.h"
#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/files.h"

namespace causalcheck::cli {
namespace {

namespace fs = std::filesystem;

struct NewAdapterArguments {
  std::string name{};
  std::string language = "cpp";
  std::string folder{};
};

ExitCode run_new_adapter(const NewAdapterArguments& a) {
  const Attempt<Skeleton> skeleton = adapter_skeleton(a.name, a.language);
  if (!skeleton) return refuse(skeleton.error().text);
  const fs::path folder = a.folder.empty() ? a.name : a.folder;
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error))) {
    return refuse(folder.string() + " is there already; name another folder with --dir");
  }
  fs::create_directories(folder, error);
  if (error) return refuse("cannot make the folder " + folder.string() + ": " + error.message());
  std::string text = "Written:\n";
  for (const SkeletonFile& file : skeleton->files) {
    const fs::path path = folder / file.path;
    if (const Attempt<void> done = write_file_atomically(path.string(), file.content); !done) {
      return refuse(done.error().text, ExitCode::kInternal);
    }
    if (file.is_program) {
      fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, error);
    }
    text += "  " + path.string() + '\n';
  }
  print(text + "\nNow, in " + folder.string() + ":\n" + skeleton->next_steps);
  return ExitCode::kHolds;
}

}  // namespace

void add_new_adapter(CLI::App& program, Action& action) {
  const auto a = std::make_shared<NewAdapterArguments>();
  CLI::App* command = program.add_subcommand(
      "new-adapter", "Write the skeleton of an adapter that builds and runs, with its test");
  command->add_option("name", a->name, "What it is called: my-store")
      ->required()
      ->type_name("NAME");
  command->add_option("--language", a->language, "What it is written in: cpp, python or node")
      ->type_name("LANGUAGE")
      ->capture_default_str();
  command->add_option("--dir", a->folder, "The folder to write; by default one named after it")
      ->type_name("DIR");
  command->footer(
      "  causalcheck new-adapter my-store\n"
      "  causalcheck new-adapter my-store --language python\n\n"
      "cpp makes a CMake project of one store and its GoogleTest suite, which uses the installed\n"
      "package. python and node make a program for `exec:` and its test. Prints what was written "
      "and the commands to go on with.");
  command->callback([&action, a] { action = [a] { return run_new_adapter(*a); }; });
}

}  // namespace causalcheck::cli
