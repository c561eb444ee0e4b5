#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/program.h"
#include "tests/scratch_folder.h"

namespace causalcheck {

/// Runs the program in an empty folder of its own. The target defines CAUSALCHECK_PROGRAM.
class ProgramTest : public testing::Test {
 protected:
  /// Standard error is taken, too, unless `streams` says otherwise.
  Ran run(const std::string& arguments, const std::string& streams = "2>&1") {
    return run_in_shell("cd '" + folder_.path() + "' && '" CAUSALCHECK_PROGRAM "' " + arguments +
                        " " + streams);
  }
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }

  const ScratchFolder folder_{};
};

}  // namespace causalcheck
