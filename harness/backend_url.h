#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/declaration.h"
#include "harness/backend.h"
#include "harness/result.h"

namespace causalcheck {

/// A backend as a person names it: `memory`, `fs:DIR`, `sqlite:FILE?reads=feed`,
/// `redis://host:port?pool=2`, `exec:COMMAND`.
///
/// `address` is what follows `name:` or `name://`, up to the last `?` that begins settings. The
/// whole rest of an `exec:` is its command. A value.
struct BackendUrl {
  std::string name{};
  std::string address{};
  std::map<std::string, std::string> settings{};
  bool operator==(const BackendUrl&) const = default;
};

/// Takes `text` apart. Whether there is such a backend, and such a setting, is not looked at here.
/// Errors: kRejected, with what is wrong, where, and what to write instead.
[[nodiscard]] Result<BackendUrl> parse_backend_url(std::string_view text);

/// The text that parses to `url`, its settings in alphabetical order.
std::string to_string(const BackendUrl& url);

/// Two numbers, the smaller one first.
struct NumberRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const NumberRange&) const = default;
};

/// Hands a URL's settings to an adapter one by one, and then refuses what nobody took.
///
/// Every problem is kept, so that a person sees all of them at once. After one, `choice` and
/// `number` answer what is used when the setting is absent.
class SettingsReader {
 public:
  /// `url` must outlive this object.
  explicit SettingsReader(const BackendUrl& url) : url_(url) {}

  /// The index into `allowed` of the setting's value; 0 when it is absent: the default comes first.
  [[nodiscard]] std::size_t choice(std::string_view key,
                                   const std::vector<std::string_view>& allowed);

  /// `reads=latest|feed`, which many have.
  [[nodiscard]] Reads reads();

  /// `execution=deterministic|threads`, for those that can be driven either way.
  [[nodiscard]] Execution execution();

  /// The setting's value as a number from `low` to `high`; `absent` when it is not set.
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t absent, std::int64_t low,
                                    std::int64_t high);

  /// The setting's value as `LOW..HIGH`, or as one number for both; `absent` when it is not set.
  /// Both within `allowed`.
  [[nodiscard]] NumberRange range(std::string_view key, NumberRange absent, NumberRange allowed);

  /// Notes a problem when the URL has an address. For backends that live in this process.
  void refuse_address();

  /// Call last. Errors: kRejected, with all problems and all settings that nobody took.
  [[nodiscard]] Result<void> finish() const;

 private:
  const std::string* find(std::string_view key);

  const BackendUrl& url_;
  std::vector<std::string> known_{};
  std::vector<std::string> problems_{};
};

}  // namespace causalcheck
