#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/backend.h"
#include "harness/object_log.h"
#include "harness/settings.h"
#include "harness/shrink.h"

namespace causalcheck {

/// What a test of a backend runs. The environment may say otherwise, without a build:
///
///     CAUSALCHECK_SEED=N      the first seed; alone it means one run
///     CAUSALCHECK_RUNS=N      how many seeds from there on
///     CAUSALCHECK_TIME=60s    for how long; without RUNS it takes the place of `runs`
///     CAUSALCHECK_FAULTS=X    which faults
///     CAUSALCHECK_OUT=DIR     where artifacts go
///     CAUSALCHECK_REPLAY=DIR  runs what lies in this artifact once more, and nothing else
struct BackendTestOptions {
  std::uint32_t clients = 3;
  std::uint32_t topics = 1;
  std::uint32_t events = 100;                      // publishes and observations in a run
  std::uint32_t pipeline = 1;                      // commits in flight per client, at most
  std::uint64_t seed = 1;                          // the first one
  std::uint64_t runs = 100;                        // one seed each
  std::optional<std::chrono::nanoseconds> time{};  // no run begins after that
  /// As `causalcheck fuzz --faults` takes it: "none", "light", "heavy", or kinds with commas.
  std::string faults = "none";
  /// How the runs are judged, where not as the backend declares.
  SettingsOverride settings{};
  /// Where failing runs leave their artifacts, in folders named after the test.
  std::string out = "causalcheck-out";
  /// How long each kind of violation is shrunk; zero: not at all.
  std::chrono::nanoseconds shrink_time = std::chrono::seconds(10);
};

/// A backend's test as the test framework knows it.
struct BackendTestName {
  std::string name{};     // "MyBackend.HoldsUnderLightFaults"
  std::string command{};  // runs this test and no other
};

/// What came of it.
struct BackendTestResult {
  /// Empty when everything holds. Else a text for each guarantee that breaks, with its sentence,
  /// chain, class, the commands that run it again and the artifacts; or one text that says why
  /// there is no verdict.
  std::vector<std::string> failures{};
  std::uint64_t runs = 0;
  std::string command{};  // runs the same seeds again
};

using BackendMaker = std::function<Result<std::unique_ptr<Backend>>()>;

/// `make` as what makes a Backend: it may return a Result<std::unique_ptr<Backend>>, a
/// std::unique_ptr to a Backend, or one to an ObjectStore, which becomes an ObjectLog.
template <class Make>
[[nodiscard]] BackendMaker backend_maker(Make make) {
  using Made = std::decay_t<std::invoke_result_t<Make&>>;
  if constexpr (std::is_convertible_v<Made, std::unique_ptr<ObjectStore>>) {
    return [make]() mutable -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(
          std::make_unique<ObjectLog>(std::unique_ptr<ObjectStore>(make()), ObjectLogOptions{}));
    };
  } else if constexpr (std::is_convertible_v<Made, std::unique_ptr<Backend>>) {
    return [make]() mutable -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(make());
    };
  } else {
    return make;
  }
}

/// Fuzzes a backend for a test.
///
/// Before each run the command that makes it again is written to `<out>/<name>.running`, which goes
/// when the last run is over: whoever finds it knows with which seed the process died. A run that
/// hangs ends the process (see Watchdog). `say` is handed what a person should see meanwhile, in
/// lines.
[[nodiscard]] BackendTestResult test_backend(const BackendMaker& make,
                                             const BackendTestOptions& options,
                                             const BackendTestName& name,
                                             const std::function<void(const std::string&)>& say);

/// The path of the running program, as a word of a POSIX shell.
[[nodiscard]] std::string program_word();

}  // namespace causalcheck
