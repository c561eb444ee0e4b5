#include "harness/live/live_run.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "checker/checker.h"
#include "checker/explain.h"
#include "checker/timeline.h"
#include "harness/report/conflict.h"
#include "harness/report/data_block.h"

namespace causalcheck {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Something that happened at a position. At one position calls come before returns, and what the
/// backend says of its queues after both.
struct Mark {
  enum class Kind : std::uint8_t { kFaultBegins, kCall, kReturn, kLeaves, kHold, kFaultEnds };
  Position at = 0;
  bool drain = false;  // read at the end, whatever its position
  Kind kind = Kind::kCall;
  std::size_t index = 0;
};

class Teller {
 public:
  Teller(LiveRun& run, Grounding grounding)
      : run_(run), history_(run.file.history), checker_(grounding), grounding_(grounding) {}

  void tell(const std::string& title) {
    open(title);
    checker_.begin(history_);
    for (const Mark& mark : marks()) {
      tell(mark);
    }
    run_.report = checker_.finish();
    Json ended{
        {"type", "ended"}, {"verdict", to_string(run_.report.verdict)}, {"why", run_.report.why}};
    // As the data block has them: the page lights a conflict in one way only.
    const Json block =
        Json::parse(data_block({{"live", &run_.file, &run_.report}}, grounding_), nullptr, false);
    ended["violations"] = block["runs"][0]["violations"];
    ended["conflicted"] = Json::array();
    for (const Json& message : block["runs"][0]["conflicted"]) {
      ended["conflicted"].push_back(history_.messages[message.get<std::size_t>()]);
    }
    run_.records.push_back(text_of(ended));
  }

 private:
  void open(const std::string& title) {
    const Declaration& d = history_.declared;
    run_.records.push_back(text_of({{"type", "run"},
                                    {"title", title},
                                    {"clients", history_.clients},
                                    {"topics", history_.topics},
                                    {"nodes", history_.nodes},
                                    {"declared",
                                     {{"slots", to_string(d.slots)},
                                      {"reads", to_string(d.reads)},
                                      {"level", to_string(d.level)},
                                      {"scope", to_string(d.scope)},
                                      {"retries", to_string(d.retries)}}}}));
  }

  /// Lines of the kinds held and released, each with its position.
  void read_holds(std::vector<Mark>& marks) {
    for (const std::string& text : run_.file.other_lines) {
      Json line = Json::parse(text, nullptr, false);
      if (!line.is_object() || !(line.contains("held") || line.contains("released"))) continue;
      const auto start = line.find("start");
      if (start == line.end() || !start->is_number_unsigned()) continue;
      marks.push_back({start->get<Position>(), false, Mark::Kind::kHold, holds_.size()});
      holds_.push_back(std::move(line));
    }
  }

  std::vector<Mark> marks() {
    std::vector<Mark> marks;
    for (std::size_t i = 0; i < history_.operations.size(); ++i) {
      const Operation& o = history_.operations[i];
      marks.push_back({o.start, o.is_drain(), Mark::Kind::kCall, i});
      if (o.end != kNever) marks.push_back({o.end, o.is_drain(), Mark::Kind::kReturn, i});
    }
    for (std::size_t i = 0; i < history_.faults.size(); ++i) {
      const FaultWindow& fault = history_.faults[i];
      marks.push_back({fault.start, false, Mark::Kind::kFaultBegins, i});
      if (fault.end != kNever) marks.push_back({fault.end, false, Mark::Kind::kFaultEnds, i});
    }
    for (std::size_t i = 0; i < history_.leaves.size(); ++i) {
      marks.push_back({history_.leaves[i].at, false, Mark::Kind::kLeaves, i});
    }
    read_holds(marks);
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
      if (a.drain != b.drain) return b.drain;
      return a.at != b.at ? a.at < b.at : a.kind < b.kind;
    });
    return marks;
  }

  void tell(const Mark& mark) {
    switch (mark.kind) {
      case Mark::Kind::kCall:
        checker_.invoked(static_cast<OperationIndex>(mark.index));
        push(called(mark.index));
        return;
      case Mark::Kind::kReturn:
        checker_.completed(static_cast<OperationIndex>(mark.index));
        push(returned(mark.index));
        return;
      case Mark::Kind::kHold:
        push(hold(holds_[mark.index], mark.at));
        return;
      case Mark::Kind::kLeaves:
        push({{"type", "left"}, {"client", history_.leaves[mark.index].client}, {"at", mark.at}});
        return;
      case Mark::Kind::kFaultBegins:
      case Mark::Kind::kFaultEnds: {
        const FaultWindow& fault = history_.faults[mark.index];
        push({{"type", mark.kind == Mark::Kind::kFaultBegins ? "fault_begins" : "fault_ends"},
              {"fault", fault.kind},
              {"target", fault.target},
              {"at", mark.at}});
        return;
      }
    }
  }

  [[nodiscard]] Json called(std::size_t i) const {
    const Operation& o = history_.operations[i];
    Json json{{"type", "called"},
              {"index", i},
              {"client", o.is_drain() ? Json(-1) : Json(o.client)},
              {"op", o.is_write() ? "write" : "read"},
              {"topic", o.topic},
              {"start", o.start}};
    if (o.is_write()) json["message"] = history_.messages[o.message];
    if (o.is_delete) json["delete"] = true;
    if (o.session != 1) json["session"] = o.session;
    return json;
  }

  [[nodiscard]] Json returned(std::size_t i) const {
    const Operation& o = history_.operations[i];
    const Outcome outcome = final_outcome(o);
    Json json{{"type", "returned"},
              {"index", i},
              {"outcome", outcome == Outcome::kOk     ? "ok"
                          : outcome == Outcome::kFail ? "fail"
                                                      : "info"},
              {"end", o.end},
              {"message", o.message == kNothing ? Json() : Json(history_.messages[o.message])},
              {"slot", o.slot == kNoSlot ? Json() : Json(o.slot)}};
    if (o.undecodable) json["undecodable"] = true;
    if (o.foreign) json["foreign"] = true;
    return json;
  }

  static Json hold(const Json& line, Position at) {
    const auto text = [&line](const char* key) {
      const auto found = line.find(key);
      return found != line.end() && found->is_string() ? *found : Json("");
    };
    if (line.contains("released")) {
      return {{"type", "message_delivered"},
              {"message", text("released")},
              {"at", text("at")},
              {"by", text("by")},
              {"position", at}};
    }
    Json json{{"type", "message_held"},
              {"message", text("held")},
              {"at", text("at")},
              {"from", text("from")},
              {"position", at}};
    const auto blocked = line.find("blocked_by");
    if (blocked != line.end() && blocked->is_object()) {
      json["blocked_by"] = {{"process", blocked->value("process", Json(""))},
                            {"needed", blocked->value("needs", Json(0))},
                            {"present", blocked->value("has", Json(0))}};
    }
    return json;
  }

  void push(Json record) {
    const Violation* violation = checker_.first_violation();
    Json so_far{{"verdict", violation == nullptr ? "holds" : "breaks"}};
    if (violation != nullptr) {
      so_far["guarantee"] = to_string(violation->guarantee);
      so_far["sentence"] = sentence(*violation, history_);
      so_far["pending"] = violation->pending;
    }
    record["so_far"] = std::move(so_far);
    run_.records.push_back(text_of(record));
  }

  LiveRun& run_;
  const History& history_;
  Checker checker_;
  const Grounding grounding_;
  std::vector<Json> holds_{};
};

}  // namespace

LiveRun live_run_of(HistoryFile file, Grounding grounding, const std::string& title) {
  LiveRun run;
  run.file = std::move(file);
  Teller(run, grounding).tell(title);
  return run;
}

}  // namespace causalcheck
