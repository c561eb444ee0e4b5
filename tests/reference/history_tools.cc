#include <ostream>

#include "checker/shorthand.h"
#include "tests/reference/random_history.h"

namespace causalcheck::reference {
namespace {

template <typename T>
void leave_out_each(const History& history, std::vector<T> History::*list,
                    std::vector<History>& found) {
  for (std::size_t i = 0; i < (history.*list).size(); ++i) {
    History less = history;
    auto& items = less.*list;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    found.push_back(std::move(less));
  }
}

template <typename Change>
void change(const History& history, std::vector<History>& found, Change make) {
  History less = history;
  make(less);
  if (!(less == history)) found.push_back(std::move(less));
}

}  // namespace

std::vector<History> simpler(const History& history) {
  std::vector<History> found;
  leave_out_each(history, &History::operations, found);
  leave_out_each(history, &History::faults, found);
  leave_out_each(history, &History::leaves, found);
  change(history, found, [](History& h) { h.faults_asked = false; });
  change(history, found, [](History& h) { h.payloads_checked = false; });
  change(history, found, [](History& h) { h.has_header = false; });
  for (const Guarantee id : all_guarantees()) {
    change(history, found, [id](History& h) { h.declared.claims.erase(id); });
  }
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    change(history, found, [i](History& h) { h.operations[i].payload = 0; });
    change(history, found, [i](History& h) { h.operations[i].session = 1; });
    change(history, found, [i](History& h) { h.operations[i].is_delete = false; });
    change(history, found, [i](History& h) { h.operations[i].undecodable = false; });
    change(history, found, [i](History& h) { h.operations[i].foreign = false; });
  }
  return found;
}

History smallest_where(History history, const std::function<bool(const History&)>& keeps) {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (History& candidate : simpler(history)) {
      if (!keeps(candidate)) continue;
      history = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return history;
}

std::string describe(const History& history) {
  const Declaration& declared = history.declared;
  std::string text = "declared: slots " + std::string(to_string(declared.slots)) + ", reads " +
                     std::string(to_string(declared.reads)) + ", level " +
                     std::string(to_string(declared.level)) + ", scope " +
                     std::string(to_string(declared.scope)) + ", retries " +
                     std::string(to_string(declared.retries)) + ", claims";
  for (const Guarantee id : all_guarantees()) {
    if (declared.claims.contains(id)) text += " " + std::string(to_string(id));
  }
  if (history.has_header) text += "; header";
  if (history.payloads_checked) text += "; payloads checked";
  if (history.faults_asked) text += "; faults asked";
  text += "\n" + to_shorthand(history) + "\npositions:";
  for (const Operation& operation : history.operations) {
    text += " " + std::to_string(operation.start) + "-";
    if (operation.end != kNever) text += std::to_string(operation.end);
  }
  for (const FaultWindow& fault : history.faults) {
    text += " [" + std::to_string(fault.start) + "-";
    if (fault.end != kNever) text += std::to_string(fault.end);
    text += "]";
  }
  return text + "\n";
}

}  // namespace causalcheck::reference

namespace causalcheck {

void showValue(const History& history, std::ostream& os) { os << reference::describe(history); }

}  // namespace causalcheck
