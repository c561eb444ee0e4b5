#include "harness/cli/junit.h"

#include <fmt/format.h>

#include <array>
#include <boost/locale/utf.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "harness/annotation.h"
#include "harness/broken_text.h"
#include "harness/words.h"

namespace causalcheck::cli {
namespace {

/// The characters of XML 1.0, section 2.2.
bool is_xml_character(boost::locale::utf::code_point c) {
  if (c < 0x20) return c == '\t' || c == '\n';
  return c <= 0xFFFD ? c < 0xD800 || c > 0xDFFF : c >= 0x10000;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = xml_text(value).c_str();
}

void add_text(pugi::xml_node node, std::string_view text) {
  node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
}

/// The cases of one campaign, counted.
class Suite {
 public:
  explicit Suite(pugi::xml_node node) : node_(node) {}

  pugi::xml_node add(std::string_view class_name, std::string_view name) {
    ++tests_;
    pugi::xml_node test = node_.append_child("testcase");
    set(test, "classname", class_name);
    set(test, "name", name);
    return test;
  }
  void fail(pugi::xml_node test, const BrokenGuarantee& broken) {
    ++failures_;
    pugi::xml_node failure = test.append_child("failure");
    set(failure, "message", broken.sentence);
    set(failure, "type", broken.kind);
    add_text(failure, broken.explanation);
  }
  void report_error(pugi::xml_node test, std::string_view kind, std::string_view message,
                    std::string_view text) {
    ++errors_;
    pugi::xml_node error = test.append_child("error");
    set(error, "message", message);
    set(error, "type", kind);
    add_text(error, text);
  }
  void skip(pugi::xml_node test, std::string_view why) {
    ++skipped_;
    set(test.append_child("skipped"), "message", why);
  }
  void count_into(pugi::xml_node node) const {
    node.append_attribute("tests") = tests_;
    node.append_attribute("failures") = failures_;
    node.append_attribute("errors") = errors_;
    node.append_attribute("skipped") = skipped_;
  }

 private:
  pugi::xml_node node_;
  unsigned tests_ = 0;
  unsigned failures_ = 0;
  unsigned errors_ = 0;
  unsigned skipped_ = 0;
};

void add_guarantee(Suite& suite, const CampaignOptions& options, const CampaignResult& result,
                   Guarantee id) {
  const GuaranteeTally& tally = result.summary[id];
  pugi::xml_node test = suite.add(options.plan.backend, to_string(id));
  if (tally.claimed && tally.runs_broken > 0) {
    suite.fail(test, broken_text(options, result, id));
  } else if (!tally.claimed || tally.runs_judged == 0) {
    suite.skip(test, tally.why_not.empty() ? "not claimed by the backend" : tally.why_not);
  } else if (tally.runs_could_fail == 0) {
    suite.skip(test, "nothing in any run could have broken it");
  }
}

std::string failure_text(const CampaignResult& result) {
  return fmt::format("seed {}: {}", result.failed_seed, result.failure->text);
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void add_campaign(Suite& suite, const CampaignOptions& options, const CampaignResult& result,
                  const std::string& command) {
  pugi::xml_node test = suite.add(options.plan.backend, "campaign");
  test.append_attribute("time") = fmt::format("{:.3f}", seconds_of(result.elapsed)).c_str();
  const std::string again = "\nAgain: " + command + "\n";
  if (result.failure) {
    const std::string text = failure_text(result);
    suite.report_error(test, "no verdict", first_line(text), text + again);
  } else if (result.verdict.verdict == Verdict::kUnknown) {
    suite.report_error(test, "unknown", "unknown, " + result.verdict.why,
                       "unknown, " + result.verdict.why + again);
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  namespace utf = boost::locale::utf;
  std::string out;
  out.reserve(text.size());
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = at;
    const utf::code_point c = utf::utf_traits<char>::decode(at, text.end());
    if (utf::is_valid_codepoint(c) && is_xml_character(c)) {
      out.append(begin, at);
      continue;
    }
    if (!utf::is_valid_codepoint(c)) at = begin + 1;
    for (auto byte = begin; byte != at; ++byte) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(*byte));
    }
  }
  return out;
}

std::string campaign_to_junit(const CampaignOptions& options, const CampaignResult& result,
                              const std::string& command) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  pugi::xml_node node = suites.append_child("testsuite");
  set(node, "name", "causalcheck fuzz " + options.plan.backend);

  pugi::xml_node properties = node.append_child("properties");
  const auto add_property = [&](const char* name, std::string_view value) {
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  };
  add_property("command", command);
  add_property("runs", std::to_string(result.summary.runs));
  add_property("events", std::to_string(result.summary.events));

  Suite suite(node);
  if (!result.failure) {
    for (const Guarantee id : all_guarantees()) add_guarantee(suite, options, result, id);
  }
  add_campaign(suite, options, result, command);
  suite.count_into(node);
  suite.count_into(suites);

  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

std::string campaign_to_annotations(const CampaignOptions& options, const CampaignResult& result) {
  const std::string& backend = options.plan.backend;
  if (result.failure) {
    return annotation(AnnotationLevel::kError, backend + ": no verdict", failure_text(result));
  }
  std::string lines;
  for (const Guarantee id : all_guarantees()) {
    if (!result.summary[id].claimed || result.summary[id].runs_broken == 0) continue;
    const BrokenGuarantee broken = broken_text(options, result, id);
    lines += annotation(AnnotationLevel::kError,
                        fmt::format("{}: {} breaks", backend, to_string(id)), broken.explanation);
  }
  if (result.verdict.verdict == Verdict::kUnknown) {
    lines += annotation(AnnotationLevel::kWarning, backend + ": unknown", result.verdict.why);
  }
  return lines;
}

}  // namespace causalcheck::cli
