#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causalcheck {

/// One command of a page of the manual, and what the page says comes of it.
struct ManualCommand {
  std::string command{};
  int exit_code = 0;
  std::vector<std::string> output{};  // lines; "..." stands for any text, alone for any lines
  std::size_t line = 0;
};

/// One fenced block of a page.
struct ManualBlock {
  std::string language{};
  std::string file{};  // what stands behind the language: the name of the file it is
  std::string text{};
  std::size_t line = 0;  // of the opening fence
};

/// The fenced blocks of a page, in order.
[[nodiscard]] inline std::vector<ManualBlock> blocks_of(std::string_view page) {
  std::vector<ManualBlock> blocks;
  bool inside = false;
  std::size_t number = 0;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      const std::string_view info = line.substr(3);
      const std::size_t blank = std::min(info.find(' '), info.size());
      blocks.push_back({std::string(info.substr(0, blank)),
                        std::string(info.substr(std::min(blank + 1, info.size()))), "", number});
    } else if (inside) {
      blocks.back().text.append(line) += '\n';
    }
  }
  return blocks;
}

/// The commands of a `console` block: lines that begin with "$ ", continued where they end in '\'.
/// "# exit 1" behind a command is its exit code; what follows until the next one is its output.
[[nodiscard]] inline std::vector<ManualCommand> commands_of(const ManualBlock& block) {
  std::vector<ManualCommand> commands;
  std::string_view text = block.text;
  bool continued = false;
  for (std::size_t number = block.line + 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (continued) {
      commands.back().command += '\n' + line;
    } else if (line.starts_with("$ ")) {
      commands.push_back({line.substr(2), 0, {}, number});
    } else if (!commands.empty()) {
      commands.back().output.push_back(line);
    }
    continued = (continued || line.starts_with("$ ")) && line.ends_with("\\");
    if (continued || commands.empty()) continue;
    std::string& command = commands.back().command;
    const std::size_t comment = command.find("# exit ");
    if (comment == std::string::npos) continue;
    commands.back().exit_code = std::stoi(command.substr(comment + 7));
    command.erase(comment);
  }
  return commands;
}

/// Whether `line` is what `expected` says, in which "..." stands for any text.
[[nodiscard]] inline bool matches(std::string_view expected, std::string_view line) {
  const std::size_t gap = expected.find("...");
  if (gap == std::string_view::npos) return expected == line;
  if (line.substr(0, gap) != expected.substr(0, gap)) return false;
  const std::string_view rest = expected.substr(gap + 3);
  for (std::size_t at = gap; at <= line.size(); ++at) {
    if (matches(rest, line.substr(at))) return true;
  }
  return false;
}

/// The same for lines, where a line "..." stands for any lines. The index of the first expected
/// line that no line is left for; the number of expected lines when all are there.
[[nodiscard]] inline std::size_t first_mismatch(const std::vector<std::string>& expected,
                                                const std::vector<std::string>& lines) {
  std::size_t at = 0;
  bool gap = false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t first = expected[i].find_first_not_of(' ');
    if (first != std::string::npos && expected[i].substr(first) == "...") {
      gap = true;
      continue;
    }
    // The first line that fits: commands print little enough for that.
    while (gap && at < lines.size() && !matches(expected[i], lines[at])) ++at;
    if (at == lines.size() || !matches(expected[i], lines[at])) return i;
    ++at;
    gap = false;
  }
  return gap || at == lines.size() ? expected.size() : expected.size() - 1;
}

}  // namespace causalcheck
