#include "harness/report/conflict_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "checker/explain.h"
#include "harness/report/markup.h"

namespace causalcheck {
namespace {

constexpr std::size_t kLaneCharactersMax = 18;
constexpr std::size_t kGap = 4;
constexpr std::size_t kArrow = 4;  // more room before the logs, so that every arrow shows

/// Characters, as far as a terminal counts them: not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void pad(std::string& line, std::size_t to) {
  const std::size_t now = width(line);
  if (now < to) line.append(to - now, ' ');
}

std::string mark_of(const ConflictRow& row) {
  switch (row.kind) {
    case ConflictRow::Kind::kPublish:
      return row.symbol + (row.open ? "?" : row.failed ? "x" : "");
    case ConflictRow::Kind::kObserve:
      return row.symbol.empty() ? "o" : row.symbol;
    case ConflictRow::Kind::kEmpty:
      return "-";
    case ConflictRow::Kind::kUnknown:
      return "?";
    case ConflictRow::Kind::kDrain:
      return row.log_text.empty() ? "*" : row.log_text;
  }
  return {};
}

/// The lanes of one row, with what goes between the client's lane and the log's.
std::string lanes_of(const ConflictRow& row, const std::vector<std::size_t>& at) {
  std::string line;
  for (std::size_t lane = 0; lane < at.size(); ++lane) {
    pad(line, at[lane]);
    if (lane == row.lane) {
      line += mark_of(row);
    } else if (lane == row.log && row.in_log) {
      line += row.log_text.empty() ? "*" : row.log_text;
    } else {
      line += "|";
    }
  }
  if (!row.in_log || row.kind == ConflictRow::Kind::kDrain) return line;
  // The arrow, over whatever lane is in between.
  const std::size_t begin = line.find(mark_of(row), at[row.lane]) + mark_of(row).size() + 1;
  const std::size_t end = at[row.log] + (line.size() - width(line)) - 1;
  if (begin + 3 > end || end > line.size()) return line;
  for (std::size_t i = begin; i < end; ++i) line[i] = '-';
  if (row.kind == ConflictRow::Kind::kPublish) {
    line[end - 1] = '>';
  } else {
    line[begin] = '<';
  }
  return line;
}

}  // namespace

std::string conflict_text(const Conflict& conflict, const History& history) {
  if (conflict.rows.empty()) return {};
  std::size_t number_width = 0;
  for (const ConflictRow& row : conflict.rows) {
    number_width = std::max(number_width, std::to_string(row.number).size());
  }
  std::vector<std::size_t> at;
  std::vector<std::string> labels;
  std::size_t next = number_width + 4;
  for (std::size_t lane = 0; lane < conflict.lanes.size(); ++lane) {
    labels.push_back(shortened(conflict.lanes[lane].label, kLaneCharactersMax));
    std::size_t widest = width(labels.back());
    for (const ConflictRow& row : conflict.rows) {
      if (row.lane == lane) widest = std::max(widest, width(mark_of(row)));
      if (row.log == lane) widest = std::max(widest, width(row.log_text));
    }
    if (conflict.lanes[lane].is_log) next += kArrow;
    at.push_back(next);
    next += widest + kGap;
  }
  std::string head;
  for (std::size_t lane = 0; lane < at.size(); ++lane) {
    pad(head, at[lane]);
    head += labels[lane];
  }
  std::size_t text_width = 0;
  for (const ConflictRow& row : conflict.rows) {
    text_width = std::max(text_width, width(row.text));
  }
  std::string picture = head + "\n";
  for (std::size_t i = 0; i < conflict.rows.size(); ++i) {
    const ConflictRow& row = conflict.rows[i];
    std::string line = std::to_string(row.number);
    line.insert(0, 2 + number_width - line.size(), ' ');
    const std::string lanes = lanes_of(row, at);
    line += lanes.substr(std::min(lanes.size(), line.size()));
    pad(line, next);
    line += row.text;
    bool first = true;
    for (const ConflictEdge& edge : conflict.edges) {
      if (edge.learned_at != i) continue;
      if (first) pad(line, next + text_width);
      first = false;
      line += "   " + std::to_string(edge.number) + "  " +
              visible(to_string(edge.clause, history)) + (edge.broken ? "  X FALSE" : "");
    }
    picture += line + "\n";
  }
  return picture;
}

}  // namespace causalcheck
