#include "harness/shiviz_expression.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <stdexcept>
#include <utility>

#include "harness/json_text.h"

namespace causalcheck {

struct ShivizExpression::Compiled {
  boost::basic_regex<char> regex{};
};

ShivizExpression::ShivizExpression() : compiled_(std::make_unique<Compiled>()) {}
ShivizExpression::ShivizExpression(ShivizExpression&&) noexcept = default;
ShivizExpression& ShivizExpression::operator=(ShivizExpression&&) noexcept = default;
ShivizExpression::~ShivizExpression() = default;

namespace {

/// A named group and its number among all that capture.
struct NamedGroup {
  std::string name{};
  int number = 0;
};

/// An expression in Boost's syntax.
struct Translation {
  std::string pattern{};
  std::vector<NamedGroup> groups{};
};

bool is_quantifier(std::string_view text) {
  // {2}, {2,} or {2,5}, as JavaScript wants it; every other brace stands for itself there.
  std::size_t at = 1;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at > begin;
  };
  if (!digits()) return false;
  if (at < text.size() && text[at] == ',') {
    ++at;
    digits();
  }
  return at < text.size() && text[at] == '}';
}

/// Translates: braces that stand for themselves are escaped, and groups counted. The rest is alike
/// in both.
Translation translated(std::string_view expression) {
  Translation result;
  bool in_class = false;
  bool in_quantifier = false;
  int groups = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\' && i + 1 < expression.size()) {
      result.pattern += c;
      result.pattern += expression[++i];
      continue;
    }
    if (in_class) {
      in_class = c != ']';
      // Boost would read [:alpha:], [.a.] and [=a=] as names of classes.
      if (c == '[') result.pattern += '\\';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '{') {
      in_quantifier = is_quantifier(expression.substr(i));
      if (!in_quantifier) result.pattern += '\\';
    } else if (c == '}') {
      if (!in_quantifier) result.pattern += '\\';
      in_quantifier = false;
    } else if (c == '(') {
      const std::string_view rest = expression.substr(i + 1);
      if (!rest.starts_with('?')) {
        // Nothing asks for what an unnamed group holds, and `\1` means the first named one to
        // ShiViz.
        result.pattern += "(?:";
        continue;
      }
      const bool look_behind = rest.starts_with("?<=") || rest.starts_with("?<!");
      if (rest.starts_with("?<") && !look_behind) {
        const std::size_t end = rest.find('>');
        ++groups;
        result.groups.push_back(
            {std::string(rest.substr(2, end == rest.npos ? end : end - 2)), groups});
      }
    }
    result.pattern += c;
  }
  return result;
}

}  // namespace

Attempt<ShivizExpression> ShivizExpression::parse(std::string_view expression) {
  Translation translation = translated(expression);
  ShivizExpression result;
  const auto refused = [&](const std::string& why) {
    return Refusal::because("the regular expression " + shown(expression) + " " + why);
  };
  for (NamedGroup& group : translation.groups) {
    if (result.find(group.name)) return refused("names the group '" + group.name + "' twice");
    result.names_.push_back(std::move(group.name));
    result.groups_.push_back(group.number);
  }
  try {
    result.compiled_->regex.assign(translation.pattern, boost::regex::perl);
    if (boost::regex_match("", result.compiled_->regex)) return refused("matches nothing at all");
  } catch (const boost::regex_error& error) {
    return refused("is not one: " + std::string(error.what()));
  } catch (const std::runtime_error& error) {
    return refused("cannot be used: " + std::string(error.what()));
  }
  return result;
}

std::optional<std::size_t> ShivizExpression::find(std::string_view name) const {
  const auto place = std::find(names_.begin(), names_.end(), name);
  if (place == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(place - names_.begin());
}

Attempt<std::optional<ShivizExpression::Match>> ShivizExpression::next(std::string_view text,
                                                                       std::size_t from) const {
  boost::cmatch found;
  const char* const begin = text.data();
  try {
    if (!boost::regex_search(begin + from, begin + text.size(), found, compiled_->regex,
                             boost::match_default | boost::match_not_dot_newline, begin)) {
      return std::optional<Match>();
    }
  } catch (const std::runtime_error& error) {
    return Refusal::because("the search was given up: " + std::string(error.what()));
  }
  const auto view = [](const boost::csub_match& part) {
    return part.matched
               ? std::string_view(part.first, static_cast<std::size_t>(part.second - part.first))
               : std::string_view();
  };
  Match match;
  match.whole = view(found[0]);
  match.groups.reserve(groups_.size());
  for (const int group : groups_) match.groups.push_back(view(found[group]));
  return std::optional<Match>(std::move(match));
}

}  // namespace causalcheck
