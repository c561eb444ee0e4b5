#include "checker/shorthand.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/shorthand_steps.h"

namespace causalcheck {
namespace {

using shorthand::FailedSoFar;
using shorthand::in_order_of_numbers;
using shorthand::kDefaultTopic;
using shorthand::StepCounter;

std::uint32_t intern(std::vector<std::string>& table, std::string_view name) {
  const auto found = std::find(table.begin(), table.end(), name);
  const auto index = static_cast<std::uint32_t>(found - table.begin());
  if (found == table.end()) table.emplace_back(name);
  return index;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes a token apart from left to right; every take_ consumes what it returns.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  [[nodiscard]] bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }

  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  template <typename Predicate>
  std::string_view take_while(Predicate fits) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), fits);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  template <typename Number>
  std::optional<Number> take_number() {
    Number value{};
    const std::string_view digits = take_while(is_digit);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (digits.empty() || error != std::errc{} || end != digits.end()) return std::nullopt;
    return value;
  }

  /// `name` between two of `fence`.
  std::optional<std::string_view> take_fenced(char fence) {
    if (!take(fence)) return std::nullopt;
    const std::string_view name = take_while([&](char c) { return c != fence; });
    if (name.empty() || !take(fence)) return std::nullopt;
    return name;
  }

  /// A client's label: capital letters, and an incarnation behind a tilde.
  std::optional<std::string_view> take_label() {
    const std::string_view from = rest_;
    if (take_while(is_upper).empty()) return std::nullopt;
    if (take('~') && take_while(is_digit).empty()) return std::nullopt;
    return from.substr(0, from.size() - rest_.size());
  }

  /// A symbol: a label and a step, with a dot between when the label is an incarnation.
  std::optional<std::string_view> take_symbol() {
    const std::string_view from = rest_;
    const auto label = take_label();
    if (!label) return std::nullopt;
    if (label->find('~') != std::string_view::npos && !take('.')) return std::nullopt;
    if (take_while(is_digit).empty()) return std::nullopt;
    return from.substr(0, from.size() - rest_.size());
  }

 private:
  std::string_view rest_;
};

/// One operation as its token tells it.
struct Draft {
  Operation operation{};
  std::string_view token{};
  std::string name{};  // an id or a symbol; empty: nothing, or a publish named by its own symbol
  bool by_symbol = false;
  bool topic_named = false;
  bool only_called = false;
};

class Parser {
 public:
  explicit Parser(const Declaration& declared) { history_.declared = declared; }

  std::variant<History, ShorthandError> parse(std::string_view text) {
    Scanner scanner(text);
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    while (true) {
      scanner.take_while(blank);
      if (scanner.done()) break;
      token_ = scanner.take_while([&](char c) { return !blank(c); });
      const bool is_fault = token_.front() == '[' || token_.front() == ']';
      if (const Failure failure = is_fault ? fault() : event()) return *failure;
    }
    for (const Draft& draft : drafts_) history_.operations.push_back(draft.operation);
    if (const Failure failure = name_messages()) return *failure;
    for (Operation& operation : history_.operations) {
      if (operation.end == kNever) operation.outcome = Outcome::kInfo;
      if (operation.slot != kNoSlot && history_.declared.slots == Slots::kNone) {
        history_.declared.slots = Slots::kSparse;
      }
    }
    return std::move(history_);
  }

 private:
  using Failure = std::optional<ShorthandError>;

  [[nodiscard]] ShorthandError expected(const std::string& what) const {
    return {"'" + std::string(token_) + "': expected " + what};
  }

  Failure fault() {
    Scanner scanner(token_);
    const bool opens = scanner.take('[');
    if (!opens) scanner.take(']');
    FaultWindow window;
    window.kind = scanner.take_while([](char c) { return c != ':'; });
    if (window.kind.empty()) return expected("the kind of a fault behind the bracket");
    if (scanner.take(':')) window.target = scanner.rest();
    if (opens) {
      window.start = next_++;
      history_.faults.push_back(std::move(window));
      return std::nullopt;
    }
    const auto open =
        std::find_if(history_.faults.begin(), history_.faults.end(), [&](const FaultWindow& other) {
          return other.end == kNever && other.kind == window.kind && other.target == window.target;
        });
    if (open == history_.faults.end()) return expected("a fault that '[' opened before");
    open->end = next_++;
    return std::nullopt;
  }

  Failure event() {
    const std::size_t colon = token_.find(':');
    const bool has_topic = colon != std::string_view::npos;
    if (colon == 0) return expected("the name of a topic before ':'");
    Scanner scanner(has_topic ? token_.substr(colon + 1) : token_);
    ClientId client = kDrainClient;
    if (!scanner.take('_')) {
      const auto label = scanner.take_label();
      if (!label) return expected("a client (A, B, A~2, ... or _ for the drain)");
      client = intern(history_.clients, *label);
      if (scanner.take('.')) return leave(client, scanner);
    }
    if (scanner.take(')')) return completion(client, scanner);
    Draft draft;
    draft.token = token_;
    draft.operation.client = client;
    draft.topic_named = has_topic;
    draft.operation.topic =
        intern(history_.topics, has_topic ? token_.substr(0, colon) : kDefaultTopic);
    if (const Failure failure = what_happened(draft, scanner)) return failure;
    while (!scanner.done()) {
      if (draft.only_called) return expected("nothing behind '('");
      if (const Failure failure = modifier(draft, scanner)) return failure;
    }
    draft.operation.start = next_++;
    if (!draft.only_called) draft.operation.end = next_++;
    drafts_.push_back(std::move(draft));
    return std::nullopt;
  }

  /// `!`, `<` and the message behind it.
  [[nodiscard]] Failure what_happened(Draft& draft, Scanner& scanner) const {
    const bool may_publish = !draft.operation.is_drain();
    if (may_publish && scanner.take('!')) {
      draft.operation.kind = OperationKind::kWrite;
      if (!scanner.next_is('#')) return std::nullopt;
    } else if (!scanner.take('<')) {
      return expected(may_publish ? "'!', '<', ')' or '.' behind the client"
                                  : "'<' behind the drain's _");
    }
    if (scanner.next_is('#')) {
      const auto id = scanner.take_fenced('#');
      if (!id) return expected("an id between two '#'");
      draft.name = *id;
    } else if (const auto symbol = scanner.take_symbol()) {
      draft.name = *symbol;
      draft.by_symbol = true;
    } else if (!scanner.take('-')) {
      return expected("a symbol such as B1, an id between two '#', or '-' behind '<'");
    }
    return std::nullopt;
  }

  Failure modifier(Draft& draft, Scanner& scanner) {
    Operation& operation = draft.operation;
    if (scanner.take('?')) {
      operation.outcome = Outcome::kInfo;
    } else if (scanner.take('x')) {
      operation.outcome = Outcome::kFail;
    } else if (scanner.take('d')) {
      operation.is_delete = true;
    } else if (scanner.take('%')) {
      operation.undecodable = true;
      operation.outcome = Outcome::kInfo;
    } else if (scanner.take('*')) {
      operation.foreign = true;
    } else if (scanner.take('(')) {
      draft.only_called = true;
    } else if (scanner.take('@')) {
      const auto slot = scanner.take_number<Slot>();
      if (!slot) return expected("the number of a slot behind '@'");
      operation.slot = *slot;
    } else if (scanner.take('/')) {
      const auto session = scanner.take_number<std::uint32_t>();
      if (!session) return expected("the number of a session behind '/'");
      operation.session = *session;
    } else if (scanner.next_is('$')) {
      const auto digest = scanner.take_fenced('$');
      if (!digest) return expected("a payload's digest between two '$'");
      operation.payload = intern(history_.payloads, *digest) + 1;
    } else {
      return expected("one of ? x d % * ( @3 /2 $digest$ at '" + std::string(scanner.rest()) + "'");
    }
    return std::nullopt;
  }

  Failure completion(ClientId client, Scanner& scanner) {
    const std::uint32_t which =
        scanner.done() ? 1 : scanner.take_number<std::uint32_t>().value_or(0);
    if (which == 0 || !scanner.done()) return expected("nothing or a number from 1 behind ')'");
    std::uint32_t seen = 0;
    for (Draft& draft : drafts_) {
      Operation& operation = draft.operation;
      if (operation.client != client || operation.end != kNever || ++seen != which) continue;
      operation.end = next_++;
      return std::nullopt;
    }
    return expected("an operation of this client that '(' left open");
  }

  Failure leave(ClientId client, const Scanner& scanner) {
    if (!scanner.done()) return expected("nothing behind '.'");
    history_.leaves.push_back({client, next_++});
    return std::nullopt;
  }

  /// Gives every publish its symbol, then every read the message that its symbol names.
  Failure name_messages() {
    StepCounter steps(history_.declared.reads);
    std::map<std::string, MessageId> published;  // by symbol
    std::map<std::string, TopicId> topics;       // where it was published
    FailedSoFar failed;
    for (const OperationIndex i : in_order_of_numbers(history_)) {
      Operation& operation = history_.operations[i];
      const Draft& draft = drafts_[i];
      if (operation.is_write()) {
        const std::string symbol =
            event_symbol(history_.clients[operation.client], steps.publish(operation.client));
        operation.message = intern(history_.messages, draft.name.empty() ? symbol : draft.name);
        published.emplace(symbol, operation.message);
        topics.emplace(symbol, operation.topic);
        failed.publish(history_.messages[operation.message], operation);
      } else if (!draft.name.empty()) {
        const auto found = draft.by_symbol ? published.find(draft.name) : published.end();
        const std::string& id =
            found == published.end() ? draft.name : history_.messages[found->second];
        steps.observe(operation, id, failed.contains(id));
      }
    }
    for (OperationIndex i = 0; i < drafts_.size(); ++i) {
      Operation& operation = history_.operations[i];
      const Draft& draft = drafts_[i];
      if (operation.is_write() || draft.name.empty()) continue;
      token_ = draft.token;
      const auto found = published.find(draft.name);
      if (draft.by_symbol && found == published.end()) {
        return expected("the symbol of a publish, which " + draft.name + " is not");
      }
      operation.message = draft.by_symbol ? found->second : intern(history_.messages, draft.name);
      if (draft.by_symbol && !draft.topic_named) operation.topic = topics.at(draft.name);
    }
    return std::nullopt;
  }

  History history_{};
  std::vector<Draft> drafts_{};
  std::string_view token_{};
  Position next_ = 1;
};

}  // namespace

std::variant<History, ShorthandError> parse_shorthand(std::string_view text,
                                                      const Declaration& declared) {
  return Parser(declared).parse(text);
}

}  // namespace causalcheck
