#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result.h"
#include "harness/runtime.h"

namespace causalcheck {

/// What a create came to.
enum class Created : std::uint8_t {
  kCreated,  // this call made the object, durably
  kTaken,    // there was one already; nothing changed
};

/// An object store: the smaller interface. `ObjectLog` turns any of them into a Backend.
///
/// Keys are short ASCII paths ("<run>/<topic>/log/<20 digits>"). Content is opaque bytes. Calls
/// come from many fibers or threads of one run. No call retries silently.
class ObjectStore {
 public:
  ObjectStore() = default;
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;
  virtual ~ObjectStore() = default;

  /// Creates `key` with `content` unless it exists; of K racing calls exactly one gets kCreated.
  /// Durable before it is acknowledged. Errors: kRejected, kUnavailable (not created); all others
  /// (may have been created).
  [[nodiscard]] virtual Result<Created> create_if_absent(std::string_view key,
                                                         std::string_view content, Runtime& runtime,
                                                         Time deadline) = 0;

  /// The content of `key`; nullopt when it does not exist. A half-written object is never seen.
  [[nodiscard]] virtual Result<std::optional<std::string>> get(std::string_view key,
                                                               Runtime& runtime, Time deadline) = 0;

  /// The same as `get`, into `content`, whose memory is used again; false when there is nothing. A
  /// store that can fill a string in place saves its readers an allocation for each object.
  [[nodiscard]] virtual Result<bool> get_into(std::string_view key, std::string& content,
                                              Runtime& runtime, Time deadline);

  /// All keys that start with `prefix`, in byte order.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view prefix,
                                                              Runtime& runtime, Time deadline) = 0;

  /// Removes what this object created under `prefix`, the run before; it ends in '/'. Errors: any.
  [[nodiscard]] virtual Result<void> forget(std::string_view prefix) = 0;
};

/// Optional power of a Backend: it is made of an object store, and takes another in its place for
/// its sessions; one that forwards, say.
class StoreBacked {
 public:
  virtual ~StoreBacked() = default;
  /// The store below.
  [[nodiscard]] virtual ObjectStore& store() = 0;
  /// Sessions opened from here on call `store`; null: the one below. It outlives those sessions.
  virtual void use_store(ObjectStore* store) = 0;
};

}  // namespace causalcheck
