#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// One setting of an adapter, for people.
struct SettingHelp {
  std::string_view name{};
  std::string_view values{};  // the default first: "latest|feed"
  std::string_view meaning{};
};

/// One kind of backend that can be fuzzed here.
struct AdapterKind {
  std::string_view name{};
  std::string_view summary{};
  std::string_view url_form{};  // "fs[:DIR]"
  std::vector<SettingHelp> settings{};
  /// Makes a backend. Errors: kRejected when the URL is wrong (its address' form, a setting),
  /// kUnavailable when the backend could not be reached, started or opened.
  Result<std::unique_ptr<Backend>> (*make)(const BackendUrl& url) = nullptr;
};

/// An adapter that is not in this build, because its library was missing when it was made.
struct LeftOut {
  std::string_view name{};
  std::string_view package{};  // the Debian package that brings the library
};

/// The adapters of this build, in alphabetical order. The one list: an adapter that is not named in
/// adapters.cc does not exist.
const std::vector<AdapterKind>& adapters();

/// The adapters that this build lacks.
const std::vector<LeftOut>& left_out_adapters();

/// The backend that `spec` names, as the command line takes it.
/// Errors: kRejected when the spec is wrong, kUnavailable when the backend could not be started.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(std::string_view spec);

}  // namespace causalcheck
