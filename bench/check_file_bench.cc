// `check` of a history file of one million operations, parsing included, as the program does it.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "checker/checker.h"
#include "harness/files.h"
#include "harness/history_file.h"

namespace causalcheck {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Three clients, one publishes and the two others read it, round after round; then the drain.
HistoryFile synthetic(std::uint32_t operations) {
  HistoryFile file;
  History& history = file.history;
  history.declared.slots = Slots::kContiguous;
  history.has_header = true;
  history.topics = {"chat"};
  history.clients = {"A", "B", "C"};
  Position now = 0;
  for (std::uint32_t i = 0; i < operations; ++i) {
    Operation operation{};
    operation.start = ++now;
    operation.end = ++now;
    operation.client = (i + i / 3) % 3;
    operation.message = i / 3;
    operation.slot = i / 3;
    operation.kind = i % 3 == 0 ? OperationKind::kWrite : OperationKind::kRead;
    if (i % 3 == 0) history.messages.push_back("m" + std::to_string(i / 3));
    history.operations.push_back(operation);
  }
  for (MessageId m = 0; m < history.messages.size(); ++m) {
    Operation line{};
    line.start = ++now;
    line.end = ++now;
    line.message = m;
    line.slot = m;
    history.operations.push_back(line);
  }
  return file;
}

int run() {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("check-bench-" + std::to_string(getpid())))
          .string();
  const std::string text = to_jsonl(synthetic(750'000));  // and 250,000 drain lines
  if (const Attempt<void> written = write_file_atomically(path, text); !written) {
    fmt::print(stderr, "{}\n", written.error().text);
    return 1;
  }
  const Clock::time_point start = Clock::now();
  const Attempt<HistoryFile> file = read_history(path);
  const double parsed = seconds_since(start);
  std::remove(path.c_str());
  if (!file) {
    fmt::print(stderr, "{}\n", file.error().text);
    return 1;
  }
  const Report report = check(file->history);
  const double all = seconds_since(start);
  fmt::print(
      "check of a file of {} operations, {:.1f} MB: {:.2f} s, of which reading and parsing {:.2f} "
      "s ({})\n",
      file->history.operations.size(), static_cast<double>(text.size()) / 1e6, all, parsed,
      to_string(report.verdict));
  return report.verdict == Verdict::kHolds ? 0 : 1;
}

}  // namespace
}  // namespace causalcheck

int main() { return causalcheck::run(); }
