#include "harness/path_escape.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace causalcheck {
namespace {

TEST(EscapeComponent, LeavesPlainNamesAlone) {
  EXPECT_EQ(escape_component("chat"), "chat");
  EXPECT_EQ(escape_component("run-1_a.b"), "run-1_a.b");
}

TEST(EscapeComponent, KeepsEveryByteApartAndSafe) {
  std::set<std::string> components;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const std::string component = escape_component(text);
    components.insert(component);
    EXPECT_EQ(component.find('/'), std::string::npos);
    EXPECT_NE(component, ".");
    EXPECT_EQ(unescape_component(component), text) << byte;
  }
  EXPECT_EQ(components.size(), 256U);
}

TEST(EscapeComponent, NamesNeitherAFolderItselfNorTheOneAbove) {
  for (const char* text :
       {"", ".", "..", "...", ".tmp-1", "/", "a/b", "%", "%2E", "\xF0\x9F\x99\x82"}) {
    const std::string component = escape_component(text);
    EXPECT_FALSE(component.empty());
    EXPECT_NE(component[0], '.') << text;
    EXPECT_EQ(unescape_component(component), std::string(text)) << text;
  }
}

TEST(UnescapeComponent, RefusesWhatEscapingNeverGives) {
  for (const char* component : {"", ".", ".tmp-1", "a b", "%2", "%2g", "%2e", "a%", "%61", "a/b"}) {
    EXPECT_EQ(unescape_component(component), std::nullopt) << component;
  }
}

}  // namespace
}  // namespace causalcheck
