#include "harness/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace causalcheck::cli {

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void complain(std::string_view text) {
  const std::string line = "causalcheck: " + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ExitCode refuse(std::string_view text, ExitCode code) {
  complain(text);
  return code;
}

ExitCode finish_output(ExitCode code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return refuse(std::string("could not write the results to standard output: ") +
                    std::strerror(errno == 0 ? EIO : errno),
                ExitCode::kInternal);
}

}  // namespace causalcheck::cli
