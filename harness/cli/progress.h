#pragma once

#include "harness/campaign.h"

namespace causalcheck::cli {

/// Shows where a campaign stands on standard error: one line rewritten in place on a terminal, a
/// line every few seconds otherwise.
class ProgressLine {
 public:
  ProgressLine();
  /// Wipes the line that stands on the terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const CampaignProgress& progress);

 private:
  bool terminal_ = false;
  bool shown_ = false;
  std::chrono::nanoseconds last_{};
};

}  // namespace causalcheck::cli
