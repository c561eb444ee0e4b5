#pragma once

#include <chrono>
#include <string>

#include "fixtures/selftest.h"
#include "harness/campaign.h"
#include "harness/shrink.h"

namespace causalcheck::cli {

/// Shows where a campaign stands, and then its shrinking, on standard error: one line rewritten in
/// place on a terminal, a line every few seconds otherwise.
class ProgressLine {
 public:
  ProgressLine();
  /// Wipes the line that stands on the terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const CampaignProgress& progress);
  void show(const ShrinkProgress& progress);
  void show(const SelftestProgress& progress);

 private:
  [[nodiscard]] bool due(std::chrono::nanoseconds elapsed);
  void write(std::string line);

  bool terminal_ = false;
  bool shown_ = false;
  std::chrono::nanoseconds last_{};
};

}  // namespace causalcheck::cli
