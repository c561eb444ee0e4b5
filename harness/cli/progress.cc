#include "harness/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "harness/cli/campaign_text.h"

namespace causalcheck::cli {
namespace {

constexpr std::chrono::seconds kPlainInterval{5};

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const CampaignProgress& p) {
  if (!due(p.elapsed)) return;
  std::string line = fmt::format("{} runs, {} events/s, {} with violations, {}", grouped(p.runs),
                                 grouped(static_cast<std::uint64_t>(p.events_per_second())),
                                 grouped(p.broke), duration_text(p.elapsed));
  if (p.left) line += fmt::format(", {} left", duration_text(*p.left));
  write(std::move(line));
}

void ProgressLine::show(const ShrinkProgress& p) {
  if (!due(p.elapsed)) return;
  write(fmt::format("shrinking: from {} events to {}, {} runs, {}", grouped(p.events_before),
                    grouped(p.events), grouped(p.runs), duration_text(p.elapsed)));
}

void ProgressLine::show(const SelftestProgress& p) {
  if (!due(p.elapsed)) return;
  write(fmt::format("{} of {} done, the last one {}, {}", p.done, p.of, p.finished,
                    duration_text(p.elapsed)));
}

// A terminal is told everything; elsewhere a line comes every few seconds. Time begins anew with
// each part of the work.
bool ProgressLine::due(std::chrono::nanoseconds elapsed) {
  if (elapsed < last_) last_ = {};
  if (!terminal_ && elapsed - last_ < kPlainInterval) return false;
  last_ = elapsed;
  return true;
}

void ProgressLine::write(std::string line) {
  shown_ = true;
  line = terminal_ ? "\r\033[K" + line : line + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace causalcheck::cli
