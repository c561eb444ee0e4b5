// Style as a test: what a reader would otherwise have to watch for. Reads the tree once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace causalcheck {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string file{};  // relative to the source folder
  std::size_t number = 0;
  std::string text{};
  std::string before{};  // the line before it

  [[nodiscard]] std::string place() const { return file + ":" + std::to_string(number) + ": "; }
  [[nodiscard]] bool has(std::string_view what) const {
    return text.find(what) != std::string::npos;
  }
  [[nodiscard]] bool in_header() const { return file.ends_with(".h"); }
};

/// Every line of our sources whose file name ends in one of `endings`.
std::vector<Line> lines_of(const std::vector<std::string>& endings) {
  std::vector<Line> lines;
  const fs::path root(CAUSALCHECK_SOURCE_DIR);
  for (const char* folder :
       {"checker", "harness", "adapters", "fixtures", "tests", "bench", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).string();
      bool wanted = entry.is_regular_file();
      bool ends = false;
      for (const std::string& ending : endings) ends = ends || file.ends_with(ending);
      wanted = wanted && ends && file != "tests/tidy_test.cc";
      if (!wanted) continue;
      std::ifstream in(entry.path());
      std::string text;
      std::string before;
      for (std::size_t number = 1; std::getline(in, text); ++number) {
        lines.push_back({file, number, text, before});
        before = text;
      }
    }
  }
  return lines;
}

TEST(Tidy, FindsTheSources) { EXPECT_GT(lines_of({".h", ".cc"}).size(), 5000U); }

TEST(Tidy, NothingThatASeedDoesNotFixDecidesARun) {
  struct Banned {
    std::string_view what;
    std::string_view allowed_in;  // the files, each with the reason beside it
  };
  for (const Line& line : lines_of({".h", ".cc"})) {
    for (const Banned& banned :
         {Banned{"std::random_device", "harness/cli/cmd_fuzz.cc"}, Banned{"_distribution<", ""},
          Banned{"std::mt19937", ""}, Banned{"std::rand(", ""},
          Banned{"system_clock", "harness/run.cc"},
          Banned{"std::this_thread::sleep",
                 "harness/threads_scheduler.cc, harness/doctor/steady_runtime.h"}}) {
      // Tests and benchmarks may sleep and measure; a run may not.
      const bool product = !line.file.starts_with("tests/") && !line.file.starts_with("bench/");
      EXPECT_FALSE(product && line.has(banned.what) &&
                   banned.allowed_in.find(line.file) == std::string_view::npos)
          << line.place() << banned.what << " has no place in a run";
    }
  }
}

TEST(Tidy, JsonLibraryStaysOutOfHeaders) {
  for (const Line& line : lines_of({".h"})) {
    EXPECT_FALSE(line.has("nlohmann/")) << line.place() << "include it in the .cc";
  }
}

TEST(Tidy, ResultsAreNotDiscarded) {
  for (const Line& line : lines_of({".h"})) {
    const std::size_t at = line.text.find_first_not_of(' ');
    if (at == std::string::npos) continue;
    std::string_view code = std::string_view(line.text).substr(at);
    if (code.starts_with("virtual ")) code.remove_prefix(8);
    const bool returns = code.starts_with("Result<") || code.starts_with("Attempt<");
    const std::size_t open = code.find('(');
    if (!returns || open == std::string_view::npos || code.find('=') < open) continue;
    if (code.find("(*") != std::string_view::npos) continue;  // a pointer to a function
    if (code[open - 1] == '>' || code[open - 1] == '*' || code[open - 1] == '(') continue;
    // A test's stub inherits the attribute of what it overrides.
    if (line.file.starts_with("tests/")) continue;
    EXPECT_NE(line.before.find("[[nodiscard]]"), std::string::npos)
        << line.place() << "a Result without [[nodiscard]]";
  }
}

TEST(Tidy, NothingIsLeftForLater) {
  for (const Line& line : lines_of({".h", ".cc", ".md"})) {
    for (const std::string_view mark : {"TO"
                                        "DO",
                                        "FIX"
                                        "ME"}) {
      EXPECT_FALSE(line.has(mark)) << line.place() << "an issue would be the place for that";
    }
    EXPECT_FALSE(line.has("DISABLED_") && line.file.starts_with("tests/"))
        << line.place() << "a test that does not run";
  }
}

TEST(Tidy, HeadersAreGuardedOnce) {
  std::string file;
  bool guarded = true;
  for (const Line& line : lines_of({".h"})) {
    if (line.file != file) {
      EXPECT_TRUE(guarded) << file << " lacks #pragma once";
      guarded = false;
      file = line.file;
    }
    guarded = guarded || line.text == "#pragma once";
  }
  EXPECT_TRUE(guarded) << file;
}

TEST(Tidy, PagesHaveOneTitle) {
  std::string file;
  int titles = 1;
  bool fenced = false;
  for (const Line& line : lines_of({".md"})) {
    if (line.file != file) {
      EXPECT_EQ(titles, 1) << file;
      file = line.file;
      titles = 0;
      fenced = false;
    }
    if (line.text.starts_with("```")) fenced = !fenced;
    if (!fenced && line.text.starts_with("# ")) ++titles;
  }
  EXPECT_EQ(titles, 1) << file;
}

TEST(Tidy, FilesStaySmall) {
  std::string file;
  std::size_t lines = 0;
  for (const Line& line : lines_of({".h", ".cc"})) {
    if (line.file != file) {
      file = line.file;
      lines = 0;
    }
    EXPECT_NE(++lines, 601U) << file << " is longer than 600 lines: split it";
  }
}

}  // namespace
}  // namespace causalcheck
