#include <CLI/CLI.hpp>
#include <exception>

#include "harness/cli/commands.h"
#include "harness/cli/output.h"

namespace causalcheck::cli {
namespace {

int run(int argc, const char* const* argv) {
  CLI::App program{
      "CausalCheck finds the interleaving in which a storage backend shows an effect before its\n"
      "cause, replays it from a seed, and explains it."};
  program.name("causalcheck");
  program.set_version_flag("--version", CAUSALCHECK_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Start here:\n"
      "  causalcheck fuzz memory --time 5s      fuzz the in-memory backend\n"
      "  causalcheck fuzz sqlite --runs 20      fuzz a real SQLite database\n"
      "  causalcheck fuzz --help                everything that can be set\n\n"
      "Exit codes: 0 holds, 1 breaks, 2 unknown, 3 bad arguments, 4 the backend could not be\n"
      "started or its adapter misused the interface, 5 internal error.");
  Action action;
  add_fuzz(program, action);
  add_replay(program, action);
  add_check(program, action);
  add_doctor(program, action);
  add_explain(program, action);
  add_backends(program, action);
  add_clocks(program, action);
  add_export(program, action);
  add_new_adapter(program, action);
  add_report(program, action);
  add_scenario(program, action);
  add_selftest(program, action);
  add_serve(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help and --version
    program.exit(help);
    return static_cast<int>(finish_output(ExitCode::kHolds));
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = program.get_subcommands();
    const std::string help = chosen.empty() ? std::string() : chosen.front()->get_name() + " ";
    return static_cast<int>(
        refuse(std::string(error.what()) + ". See causalcheck " + help + "--help"));
  }
  return static_cast<int>(finish_output(action()));
}

}  // namespace
}  // namespace causalcheck::cli

int main(int argc, char** argv) {
  try {
    return causalcheck::cli::run(argc, argv);
  } catch (const std::exception& error) {
    causalcheck::cli::complain(std::string("internal error: ") + error.what() +
                               ". Please report this with the command you ran.");
    return static_cast<int>(causalcheck::cli::ExitCode::kInternal);
  }
}
