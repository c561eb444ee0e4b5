#include "harness/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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
  if (!terminal_ && p.elapsed - last_ < kPlainInterval) return;
  last_ = p.elapsed;
  shown_ = true;
  std::string line = fmt::format("{} runs, {} events/s, {} with violations, {}", grouped(p.runs),
                                 grouped(static_cast<std::uint64_t>(p.events_per_second())),
                                 grouped(p.broke), duration_text(p.elapsed));
  if (p.left) line += fmt::format(", {} left", duration_text(*p.left));
  line = terminal_ ? "\r\033[K" + line : line + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace causalcheck::cli
