#include "harness/cli/adapter_skeleton.h"

#include <cctype>

#include "harness/cli/example_stores.h"

namespace causalcheck::cli {
namespace {

constexpr std::string_view kCppCmake = R"(cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES CXX)

# -DCMAKE_PREFIX_PATH=... says where CausalCheck was installed.
find_package(causalcheck REQUIRED COMPONENTS gtest)

enable_testing()
include(GoogleTest)
add_executable(@name@_test @name@.cc @name@.h @name@_test.cc)
target_link_libraries(@name@_test PRIVATE causalcheck::gtest GTest::gtest_main)
gtest_discover_tests(@name@_test)
)";

constexpr std::string_view kCppHeader = R"(#pragma once

#include <map>
#include <memory>
#include <string>

#include "harness/object_store.h"

/// The store under test, as the harness sees it: four calls. CausalCheck makes a log of it, with one
/// object for each message.
class @Name@ final : public causalcheck::ObjectStore {
 public:
  causalcheck::Result<causalcheck::Created> create_if_absent(std::string_view key,
                                                             std::string_view content,
                                                             causalcheck::Runtime& runtime,
                                                             causalcheck::Time deadline) override;
  causalcheck::Result<std::optional<std::string>> get(std::string_view key,
                                                      causalcheck::Runtime& runtime,
                                                      causalcheck::Time deadline) override;
  causalcheck::Result<std::vector<std::string>> list(std::string_view prefix,
                                                     causalcheck::Runtime& runtime,
                                                     causalcheck::Time deadline) override;
  causalcheck::Result<void> forget(std::string_view prefix) override;

 private:
  // Stands for your store: put a connection to it here.
  std::map<std::string, std::string, std::less<>> objects_;
};

std::unique_ptr<causalcheck::ObjectStore> make_@name@();
)";

constexpr std::string_view kCppSource = R"(#include "@name@.h"

using causalcheck::Created;
using causalcheck::Result;
using causalcheck::Runtime;
using causalcheck::Time;

// Every call returns by `deadline` and never retries. What it answers when something goes wrong
// decides what the harness may conclude:
//
//   causalcheck::Error(causalcheck::ErrorCode::kRejected, "...")        it did not happen
//   causalcheck::Error(causalcheck::ErrorCode::kUnavailable, "...")     it did not happen
//   causalcheck::Error(causalcheck::ErrorCode::kDeadline, "...")        nobody knows
//   causalcheck::Error(causalcheck::ErrorCode::kConnectionLost, "...")  nobody knows
//
// Call runtime.yield() between two steps of yours: other clients may go on there, as they could in
// the real world.

// One step: of two creates of one key exactly one is told kCreated.
Result<Created> @Name@::create_if_absent(std::string_view key, std::string_view content,
                                              Runtime&, Time) {
  const bool created = objects_.emplace(key, content).second;
  return created ? Created::kCreated : Created::kTaken;
}

Result<std::optional<std::string>> @Name@::get(std::string_view key, Runtime&, Time) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

// In byte order.
Result<std::vector<std::string>> @Name@::list(std::string_view prefix, Runtime&, Time) {
  std::vector<std::string> keys;
  for (auto at = objects_.lower_bound(prefix); at != objects_.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    keys.push_back(at->first);
  }
  return keys;
}

Result<void> @Name@::forget(std::string_view prefix) {
  std::erase_if(objects_, [&](const auto& object) {
    return object.first.compare(0, prefix.size(), prefix) == 0;
  });
  return {};
}

std::unique_ptr<causalcheck::ObjectStore> make_@name@() {
  return std::make_unique<@Name@>();
}
)";

constexpr std::string_view kCppTest = R"(#include "harness/testing/gtest.h"
#include "@name@.h"

// Check by check, what every adapter has to do. Make this one pass first.
CAUSALCHECK_CONFORMANCE(@Name@, Conforms, make_@name@);

// A hundred seeds of three clients that write and poll. A failure says what broke and why, and
// prints the command that runs it again; CAUSALCHECK_TIME=60s fuzzes for a minute instead.
CAUSALCHECK_TEST(@Name@, Holds, make_@name@, {});

// Two topics, and more to do.
CAUSALCHECK_TEST(@Name@, HoldsOverTwoTopics, make_@name@, {.topics = 2, .events = 200});
)";

constexpr std::string_view kPythonTest = R"(#!/usr/bin/env python3
"""The tests of @name@.py; run with python3 -m unittest. They need the program `causalcheck`."""
import subprocess
import unittest

BACKEND = "exec:python3 @name@.py"


def causalcheck(*arguments):
    done = subprocess.run(["causalcheck", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class @Name@(unittest.TestCase):
    def test_conforms(self):
        """Check by check, what every adapter has to do. Make this one pass first."""
        code, output = causalcheck("doctor", BACKEND)
        self.assertEqual(code, 0, output)

    def test_holds(self):
        code, output = causalcheck("fuzz", BACKEND, "--seed", "1", "--runs", "50")
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
)";

constexpr std::string_view kNodeTest = R"('use strict';
// The tests of @name@.js; run with node --test. They need the program `causalcheck`.
const assert = require('node:assert');
const {spawnSync} = require('node:child_process');
const test = require('node:test');

const backend = 'exec:node @name@.js';

function causalcheck(...options) {
  const done = spawnSync('causalcheck', options, {encoding: 'utf8'});
  assert.ifError(done.error);
  assert.strictEqual(done.status, 0, done.stdout + done.stderr);
}

// Check by check, what every adapter has to do. Make this one pass first.
test('conforms', () => causalcheck('doctor', backend));

test('holds', () => causalcheck('fuzz', backend, '--seed', '1', '--runs', '50'));
)";

struct Names {
  std::string snake{};
  std::string title{};
};

Names names_of(std::string_view name) {
  Names names;
  bool capital = true;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_';
    names.snake += separates ? '_' : c;
    if (!separates) {
      const auto byte = static_cast<unsigned char>(c);
      names.title += capital ? static_cast<char>(std::toupper(byte)) : c;
    }
    capital = separates;
  }
  return names;
}

void replace_all(std::string& text, std::string_view old, std::string_view by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), by);
  }
}

std::string filled(std::string_view text, const Names& names) {
  std::string out(text);
  replace_all(out, "@name@", names.snake);
  replace_all(out, "@Name@", names.title);
  return out;
}

Skeleton cpp_skeleton(const Names& names) {
  Skeleton skeleton;
  skeleton.files = {{"CMakeLists.txt", filled(kCppCmake, names)},
                    {names.snake + ".cc", filled(kCppSource, names)},
                    {names.snake + ".h", filled(kCppHeader, names)},
                    {names.snake + "_test.cc", filled(kCppTest, names)}};
  skeleton.next_steps =
      "cmake -B build -DCMAKE_PREFIX_PATH=/where/causalcheck/is\n"
      "cmake --build build\n"
      "ctest --test-dir build --output-on-failure\n";
  return skeleton;
}

/// An example as the store called `name`.
std::string renamed(std::string_view example, std::string_view ending, const Names& names) {
  std::string text(example);
  replace_all(text, "examples/exec/store" + std::string(ending), names.snake + std::string(ending));
  return text;
}

Skeleton python_skeleton(const Names& names) {
  Skeleton skeleton;
  skeleton.files = {{names.snake + ".py", renamed(kPythonStore, ".py", names), true},
                    {"test_" + names.snake + ".py", filled(kPythonTest, names), true}};
  skeleton.next_steps = "causalcheck doctor 'exec:python3 " + names.snake + ".py'\n" +
                        "causalcheck fuzz 'exec:python3 " + names.snake + ".py' --time 10s\n" +
                        "python3 -m unittest\n";
  return skeleton;
}

Skeleton node_skeleton(const Names& names) {
  Skeleton skeleton;
  skeleton.files = {{names.snake + ".js", renamed(kNodeStore, ".js", names), true},
                    {names.snake + ".test.js", filled(kNodeTest, names)}};
  skeleton.next_steps = "causalcheck doctor 'exec:node " + names.snake + ".js'\n" +
                        "causalcheck fuzz 'exec:node " + names.snake + ".js' --time 10s\n" +
                        "node --test\n";
  return skeleton;
}

}  // namespace

Attempt<Skeleton> adapter_skeleton(std::string_view name, std::string_view language) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::size_t kLongest = 40;
  if (name.empty() || name.size() > kLongest || name.find_first_not_of(kAllowed) != name.npos ||
      name[0] < 'a' || name[0] > 'z') {
    return Refusal::because(
        "an adapter's name is of lower-case letters, digits, '-' and '_', begins with a letter and "
        "has at most 40 characters, as my-store; not \"" +
        std::string(name.substr(0, 2 * kLongest)) + "\"");
  }
  if (language == "cpp") return cpp_skeleton(names_of(name));
  if (language == "python") return python_skeleton(names_of(name));
  if (language == "node") return node_skeleton(names_of(name));
  return Refusal::because("--language knows cpp, python and node, not \"" + std::string(language) +
                          "\"");
}

}  // namespace causalcheck::cli
