#include "checker/clocks/delivery.h"

#include <algorithm>
#include <set>

#include "checker/clocks/log_check.h"

namespace causalcheck {
namespace {

/// The one event that sends each message; kNoStamped for none or several.
std::vector<StampedIndex> senders(const StampedLog& log, DeliveryCheck& counts) {
  std::vector<StampedIndex> sender(log.names.size(), kNoStamped);
  std::vector<bool> twice(log.names.size(), false);
  for (StampedIndex i = 0; i < log.events().size(); ++i) {
    const NameId name = log.events()[i].sends;
    if (name == kNoName) continue;
    ++counts.sends;
    if (sender[name] != kNoStamped) twice[name] = true;
    sender[name] = i;
  }
  for (NameId name = 0; name < twice.size(); ++name) {
    if (twice[name]) sender[name] = kNoStamped;
  }
  return sender;
}

/// What one process received so far.
struct Receiver {
  VectorClock implied{};  // the merge of the clocks of all sends received
  std::set<NameId> names{};
  std::vector<StampedIndex> receives{};
};

}  // namespace

DeliveryCheck check_delivery(const StampedLog& log) {
  DeliveryCheck check;
  const std::vector<StampedIndex> sender = senders(log, check);
  std::vector<Receiver> receivers(log.processes.size());
  // The order of the log is the order of each process; across processes it does not matter.
  for (StampedIndex i = 0; i < log.events().size(); ++i) {
    const StampedEvent& event = log.events()[i];
    if (event.receives == kNoName) continue;
    ++check.receives;
    Receiver& receiver = receivers[event.process];
    const StampedIndex send = sender[event.receives];
    if (send == kNoStamped) {
      ++check.without_send;
      continue;
    }
    if (!receiver.names.insert(event.receives).second) {
      ++check.repeats;
      continue;
    }
    ++check.judged;
    const ProcessId author = log.events()[send].process;
    if (receiver.implied[author] >= log.events()[send].own) {
      ++check.found;
      const auto effect = std::find_if(
          receiver.receives.begin(), receiver.receives.end(), [&](StampedIndex earlier) {
            return log.order(send, sender[log.events()[earlier].receives]) == ClockOrder::kBefore;
          });
      if (effect != receiver.receives.end() && check.findings.size() < kDeliveryFindingsMax) {
        check.findings.push_back({send, i, sender[log.events()[*effect].receives], *effect});
      }
    }
    receiver.implied.merge(log.clock(send));
    receiver.receives.push_back(i);
  }
  return check;
}

std::string to_string(const DeliveryFinding& finding, const StampedLog& log) {
  const std::string& cause = log.names[log.events()[finding.send].sends];
  const std::string& effect = log.names[log.events()[finding.later_send].sends];
  return place_of(finding.receive, log) + ": " +
         log.processes[log.events()[finding.receive].process] + " receives " + cause +
         " (sent in " + place_of(finding.send, log) + ") after " + effect + " (received in " +
         place_of(finding.earlier_receive, log) + "), whose sender knew " + cause +
         " when it sent " + effect + " in " + place_of(finding.later_send, log);
}

}  // namespace causalcheck
