#include "checker/verdict.h"

#include <array>

namespace causalcheck {

std::string_view to_string(Principle why) {
  switch (why) {
    case Principle::kClientOrder:
      return "P1";
    case Principle::kSendBeforeReceive:
      return "P2";
    case Principle::kObservedOrder:
      return "P3";
  }
  return "P?";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kObservedAgainstOrder:
      return "observed-against-order";
    case Reason::kReadNothing:
      return "read-nothing";
    case Reason::kReadOlder:
      return "read-older";
    case Reason::kReadSmallerSlot:
      return "read-smaller-slot";
    case Reason::kFirstSlotsAgainstOrder:
      return "first-slots-against-order";
    case Reason::kEffectWithoutCause:
      return "effect-without-cause";
    case Reason::kNoCommonOrder:
      return "no-common-order";
    case Reason::kRefutedByRecordedOrder:
      return "refuted-by-recorded-order";
    case Reason::kMissingAtDrain:
      return "missing-at-drain";
    case Reason::kReplacedAtDrain:
      return "replaced-at-drain";
    case Reason::kNeverDelivered:
      return "never-delivered";
    case Reason::kSlotHeldTwoMessages:
      return "slot-held-two-messages";
    case Reason::kIdStoodForTwoMessages:
      return "id-stood-for-two-messages";
    case Reason::kHoleInLog:
      return "hole-in-log";
    case Reason::kMessageInTwoSlots:
      return "message-in-two-slots";
    case Reason::kFailedIsVisible:
      return "failed-is-visible";
    case Reason::kNobodyWrote:
      return "nobody-wrote";
    case Reason::kPayloadDiffers:
      return "payload-differs";
    case Reason::kUndecodable:
      return "undecodable";
    case Reason::kAgainstRealTime:
      return "against-real-time";
  }
  return "unknown";
}

std::string_view to_string(Answer answer) {
  switch (answer) {
    case Answer::kHolds:
      return "holds";
    case Answer::kBreaks:
      return "breaks";
    case Answer::kNotApplicable:
      return "n/a";
  }
  return "n/a";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kBreaks:
      return "breaks";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string fingerprint(const Violation& violation) {
  // FNV-1a: a name for people to compare, nothing relies on it being hard to forge.
  std::uint32_t hash = 2166136261U;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    hash = (hash ^ '/') * 16777619U;
  };
  add(to_string(violation.guarantee));
  add(to_string(violation.reason));
  add(violation.contradiction ? "contradiction" : "recorded order");
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15U];
  return text;
}

}  // namespace causalcheck
