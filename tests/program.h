#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace causalcheck {

/// What a command of the shell came to.
struct Ran {
  int exit_code = -1;  // -1 when it was killed by a signal
  std::string output{};
};

/// Runs `command` with /bin/sh; takes what it writes to standard output.
inline Ran run_in_shell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  return ran;
}

}  // namespace causalcheck
