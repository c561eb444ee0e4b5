// The JUnit file and the annotations, parsed by the library that others read them with.
#include "harness/cli/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string>

#include "harness/annotation.h"
#include "harness/shrink.h"
#include "tests/toy_backend.h"

namespace causalcheck::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHostile =
    "toy?]]>&<a b=\"'\x01\x1B[31m\xFF\xC0\x80\xEF\xBF\xBE\r\n%:,::error::x";

CampaignOptions toy_options(std::size_t lag) {
  CampaignOptions options;
  options.plan.backend = kHostile;
  options.plan.events = 40;
  options.runs = 5;
  options.on_violation = OnViolation::kKeepGoing;
  options.make_backend = [lag]() -> Result<std::unique_ptr<Backend>> {
    auto toy = std::make_unique<ToyBackend>();
    // Not the first reads: those found nothing, which closes no chain.
    toy->lag = [lag](std::uint64_t read) { return read > 8 && read % 2 == 0 ? lag : 0; };
    return std::unique_ptr<Backend>(std::move(toy));
  };
  return options;
}

pugi::xml_document parse(const std::string& text) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_string(text.c_str());
  EXPECT_TRUE(parsed) << parsed.description() << " at " << parsed.offset << "\n" << text;
  return document;
}

pugi::xml_node test_case(const pugi::xml_document& document, const std::string& name) {
  return document.select_node(("//testcase[@name='" + name + "']").c_str()).node();
}

/// XML 1.0 allows no other control character, and the parser above does not look.
void expect_xml_characters(const std::string& text) {
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t';
  }));
  // Entities could bring them in as well.
  for (const char* entity : {"&#1;", "&#01;", "&#x1;", "&#27;", "&#x1B;"}) {
    EXPECT_THAT(text, Not(HasSubstr(entity)));
  }
}

TEST(XmlText, LeavesWhatXmlAllows) {
  const std::string text = "tab\tline\n\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x8C <&>\"'";
  EXPECT_EQ(xml_text(text), text);
}

TEST(XmlText, SpellsOutWhatXmlForbids) {
  EXPECT_EQ(xml_text(std::string("\0\x01\x1B\r", 4)), "\\x00\\x01\\x1B\\x0D");
  EXPECT_EQ(xml_text("\xFF\xC0\x80"), "\\xFF\\xC0\\x80");
  EXPECT_EQ(xml_text("\xEF\xBF\xBE"), "\\xEF\\xBF\\xBE");          // U+FFFE
  EXPECT_EQ(xml_text("\xED\xA0\x80"), "\\xED\\xA0\\x80");          // half a surrogate pair
  EXPECT_EQ(xml_text("cut \xF0\x9F\x90"), "cut \\xF0\\x9F\\x90");  // in the middle of a character
}

TEST(Junit, ABrokenGuaranteeIsAFailureThatSaysEverything) {
  CampaignOptions options = toy_options(1);
  options.plan.backend = "toy";
  options.shrink = ShrinkOptions{};
  options.shrink->runs_max = 200;
  const CampaignResult result = run_campaign(options);
  const pugi::xml_document document = parse(campaign_to_junit(options, result, "the command"));
  const pugi::xml_node failure = test_case(document, "read-your-writes").child("failure");
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure.attribute("message").value(), HasSubstr("was acknowledged"));
  EXPECT_THAT(failure.attribute("type").value(), HasSubstr("refuted by"));
  const std::string text = failure.text().get();
  EXPECT_THAT(text,
              AllOf(HasSubstr(failure.attribute("message").value()), HasSubstr("shrunk from"),
                    HasSubstr("Again: causalcheck fuzz toy --seed "), HasSubstr("seeds 1, ")));
  const pugi::xml_node chain = test_case(document, "causal").child("failure");
  EXPECT_STREQ(chain.attribute("type").value(),
               "contradiction: no order of these events is possible");
  EXPECT_THAT(chain.text().get(), AllOf(HasSubstr("P1 "), HasSubstr("P3 ")));
}

TEST(Junit, HasOneCaseForEachGuaranteeAndOneForTheCampaign) {
  const CampaignOptions options = toy_options(0);
  const CampaignResult result = run_campaign(options);
  ASSERT_EQ(result.verdict.verdict, Verdict::kHolds) << result.verdict.why;
  const pugi::xml_document document = parse(campaign_to_junit(options, result, "the command"));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_uint(), kGuaranteeCount + 1);
  EXPECT_EQ(suite.attribute("failures").as_uint(), 0U);
  EXPECT_EQ(suite.attribute("errors").as_uint(), 0U);
  EXPECT_EQ(document.select_nodes("//testcase").size(), kGuaranteeCount + 1);
  EXPECT_EQ(document.select_nodes("//skipped").size(), suite.attribute("skipped").as_uint());
  EXPECT_FALSE(test_case(document, "causal").first_child());
  EXPECT_TRUE(test_case(document, "delivery").child("skipped"));
  EXPECT_STREQ(document.select_node("//property[@name='command']/@value").attribute().value(),
               "the command");
}

TEST(Junit, ACampaignWithoutAnAnswerIsNotGreen) {
  CampaignOptions options = toy_options(0);
  options.plan.events = 1;
  options.runs = 1;
  const CampaignResult result = run_campaign(options);
  ASSERT_EQ(result.verdict.verdict, Verdict::kUnknown);
  const pugi::xml_document document = parse(campaign_to_junit(options, result, "the command"));
  EXPECT_THAT(test_case(document, "campaign").child("error").attribute("message").value(),
              StartsWith("unknown, "));
  EXPECT_EQ(document.child("testsuites").attribute("errors").as_uint(), 1U);
  EXPECT_THAT(campaign_to_annotations(options, result), StartsWith("::warning title="));
}

TEST(Junit, HostileTextMakesAValidDocumentAllTheSame) {
  CampaignOptions options = toy_options(1);
  expect_xml_characters(campaign_to_junit(options, run_campaign(options), kHostile));
  options.make_backend = []() -> Result<std::unique_ptr<Backend>> {
    return Error(ErrorCode::kUnavailable, std::string("dead\0\x02 ", 7) + kHostile);
  };
  const CampaignResult result = run_campaign(options);
  ASSERT_TRUE(result.failure);
  const std::string text = campaign_to_junit(options, result, kHostile);
  expect_xml_characters(text);
  const pugi::xml_document document = parse(text);
  const pugi::xml_node error = test_case(document, "campaign").child("error");
  EXPECT_THAT(error.text().get(), HasSubstr("dead\\x00\\x02 toy?]]>&<a b=\"'\\x01\\x1B[31m\\xFF"));
  EXPECT_EQ(document.select_nodes("//testcase").size(), 1U);
}

TEST(Annotations, StayOnTheirLineWhateverTheTextIs) {
  const CampaignOptions options = toy_options(1);
  const CampaignResult result = run_campaign(options);
  const std::string lines = campaign_to_annotations(options, result);
  EXPECT_THAT(lines, HasSubstr("read-your-writes breaks::"));
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = lines.find('\n', begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_THAT(lines.substr(begin, end - begin), StartsWith("::error title=toy?]]>"));
    begin = end + 1;
  }
  EXPECT_THAT(lines, Not(HasSubstr("\r")));
  EXPECT_THAT(lines, HasSubstr("%0D%0A%25%3A%2C%3A%3Aerror"));
}

TEST(Annotations, ThereAreNoneWhenItHolds) {
  const CampaignOptions options = toy_options(0);
  EXPECT_THAT(campaign_to_annotations(options, run_campaign(options)), IsEmpty());
}

TEST(Annotations, NameTheLineOfASourceFile) {
  EXPECT_EQ(annotation(AnnotationLevel::kError, "a: b", "100%\nyes", {"x,y.cc", 12}),
            "::error file=x%2Cy.cc,line=12,title=a%3A b::100%25%0Ayes\n");
}

}  // namespace
}  // namespace causalcheck::cli
