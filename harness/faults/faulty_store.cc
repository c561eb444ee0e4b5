#include "harness/faults/faulty_store.h"

#include <chrono>
#include <memory>
#include <utility>

#include "harness/faults/exchange.h"

namespace causalcheck {

struct FaultyStore::CreateRequest : PlainRequest<Result<Created>> {
  Scheduler& scheduler;
  ObjectStore& store;
  std::string_view key;
  std::string_view content;
  Runtime& runtime;

  Answer send(Time deadline) {
    const BackendScope there(scheduler);
    return store.create_if_absent(key, content, runtime, deadline);
  }
  std::function<void()> send_later() {
    return [to = &store, k = std::string(key), body = std::string(content), run = &runtime] {
      // Whatever comes of it, nobody is there to hear.
      static_cast<void>(to->create_if_absent(k, body, *run, run->now() + kLateAnswerLimit));
    };
  }
};

struct FaultyStore::GetRequest : PlainRequest<Result<std::optional<std::string>>> {
  Scheduler& scheduler;
  ObjectStore& store;
  std::string_view key;
  Runtime& runtime;

  Answer send(Time deadline) {
    const BackendScope there(scheduler);
    return store.get(key, runtime, deadline);
  }
  // A body that is cut looks like a shorter one: only the reader can tell.
  static Answer cut(Answer answer, std::uint32_t where) {
    if (answer.has_error()) return answer;
    if (!answer->has_value()) return undecodable();
    (*answer)->resize((*answer)->size() * where / 256);
    return answer;
  }
};

struct FaultyStore::ListRequest : PlainRequest<Result<std::vector<std::string>>> {
  Scheduler& scheduler;
  ObjectStore& store;
  std::string_view prefix;
  Runtime& runtime;

  Answer send(Time deadline) {
    const BackendScope there(scheduler);
    return store.list(prefix, runtime, deadline);
  }
};

template <class Request>
typename Request::Answer FaultyStore::pass(FaultSite site, Runtime& runtime, Time deadline,
                                           Request request) {
  const HarnessScope here(faults_.scheduler());
  FaultedClient* client = faults_.client_of(runtime);
  if (client == nullptr) return request.send(deadline);
  return faults_.exchange(*client, site, deadline, request);
}

Result<Created> FaultyStore::create_if_absent(std::string_view key, std::string_view content,
                                              Runtime& runtime, Time deadline) {
  return pass(FaultSite::kCreate, runtime, deadline,
              CreateRequest{{}, faults_.scheduler(), inner_, key, content, runtime});
}

Result<std::optional<std::string>> FaultyStore::get(std::string_view key, Runtime& runtime,
                                                    Time deadline) {
  return pass(FaultSite::kGet, runtime, deadline,
              GetRequest{{}, faults_.scheduler(), inner_, key, runtime});
}

Result<std::vector<std::string>> FaultyStore::list(std::string_view prefix, Runtime& runtime,
                                                   Time deadline) {
  return pass(FaultSite::kGet, runtime, deadline,
              ListRequest{{}, faults_.scheduler(), inner_, prefix, runtime});
}

}  // namespace causalcheck
