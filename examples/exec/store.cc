// A small store for `causalcheck fuzz 'exec:build/release/examples/example_store'`.
//
// One log for each topic, in memory; a poll answers with its last entry. The protocol is in
// docs/exec-protocol.md: one JSON object per line, each request answered by a line with its id.
// Standard library only, so it has its own way to find a member; a real adapter takes a library.
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The end of the JSON value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
      break;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return at;
}

// The members of an object, by key with its quotes; the values as they stand in the text.
std::map<std::string_view, std::string_view> members(std::string_view object) {
  std::map<std::string_view, std::string_view> found;
  std::size_t at = 1;
  while (at < object.size() && object[at] == '"') {
    const std::size_t key_end = object.find('"', at + 1) + 1;
    const std::string_view key = object.substr(at, key_end - at);
    const std::size_t value_end = end_of_value(object, key_end + 1);
    found[key] = object.substr(key_end + 1, value_end - key_end - 1);
    at = value_end + 1;
  }
  return found;
}

// A topic's entries, each a JSON object. The topic's name stays in its quotes: it is only compared.
std::map<std::string, std::vector<std::string>, std::less<>> logs;

std::string answer(const std::map<std::string_view, std::string_view>& request) {
  const std::string_view op = request.at("\"op\"");
  if (op == "\"hello\"") {
    return R"(,"protocol":1,"slots":"contiguous","reads":"latest","level":"total","retries":"none",)"
           R"("claims":["read-your-writes","monotonic-reads","monotonic-writes",)"
           R"("writes-follow-reads","real-time"],)"
           R"("concurrency":"read-during-commit","in_turn":true)";
  }
  if (op == "\"reset\"") logs.clear();  // only what earlier runs of this very program wrote
  if (op != "\"commit\"" && op != "\"poll\"" && op != "\"drain\"") return "";

  std::vector<std::string>& log = logs[std::string(request.at("\"topic\""))];
  if (op == "\"commit\"") {
    const std::string slot = std::to_string(log.size());
    log.push_back("{\"payload\":" + std::string(request.at("\"payload\"")) + ",\"delete\":" +
                  std::string(request.at("\"delete\"")) + ",\"slot\":" + slot + "}");
    return ",\"slot\":" + slot;
  }
  if (op == "\"poll\"") return ",\"entry\":" + (log.empty() ? "null" : log.back());
  std::string entries;
  for (const std::string& entry : log) entries += (entries.empty() ? "" : ",") + entry;
  return ",\"entries\":[" + entries + "]";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto request = members(line);
    std::cout << "{\"id\":" << request.at("\"id\"") << ",\"outcome\":\"ok\"" << answer(request)
              << "}\n"
              << std::flush;
    if (request.at("\"op\"") == "\"shutdown\"") break;
  }
}
