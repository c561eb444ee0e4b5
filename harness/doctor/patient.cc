#include "harness/doctor/patient.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "harness/checked_session.h"

namespace causalcheck {

void expect(bool holds, const std::string& came) {
  if (!holds) throw CheckFailed{came};
}

std::string shown_payload(std::string_view payload) {
  Entry entry;
  entry.payload = std::string(payload);
  std::string text = describe(entry);
  text.resize(text.rfind(" at slot"));
  return fmt::format("{} ({} byte{})", text, payload.size(), payload.size() == 1 ? "" : "s");
}

std::vector<std::string> awkward_payloads() {
  std::vector<std::string> payloads = {"",
                                       "plain",
                                       std::string("a\0b\0", 4),
                                       std::string(1, '\0'),
                                       "two\r\nlines\n",
                                       "tab\t'\"`\\",
                                       "'; DROP TABLE causalcheck_messages; --",
                                       "{\"json\":[1,2]}",
                                       "%00%2F../..",
                                       "\xFF\xFE\x80 not UTF-8",
                                       std::string(1 << 20, 'x')};
  // One character of every Unicode plane, as UTF-8.
  std::string planes;
  for (unsigned plane = 0; plane <= 16; ++plane) {
    const unsigned code = plane << 16U | 0xABCDU;
    const auto tail = [code](unsigned shift) {
      return static_cast<char>(0x80U | (code >> shift & 63U));
    };
    if (plane == 0) {
      planes += {static_cast<char>(0xE0U | code >> 12U), tail(6), tail(0)};
    } else {
      planes += {static_cast<char>(0xF0U | code >> 18U), tail(12), tail(6), tail(0)};
    }
  }
  payloads.push_back(planes);
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  payloads.push_back(bytes);
  return payloads;
}

Patient::Client& Patient::Client::open(const ResumeToken* resume) {
  session_.reset();
  Result<std::unique_ptr<Session>> opened = patient_.backend_->open(info_, runtime_, resume);
  expect(opened.has_value(),
         fmt::format("opening a session for {} failed: {}", info_.label, opened.error().text));
  session_ = *std::move(opened);
  return *this;
}

Committed Patient::Client::commit(std::string payload, std::string_view topic) {
  const Result<Ack> ack = session_->commit({topic, payload, false}, soon());
  expect(ack.has_value(), fmt::format("{}'s commit of {} failed: {}", label(),
                                      shown_payload(payload), describe(ack.error())));
  return {std::move(payload), ack->slot};
}

std::optional<Entry> Patient::Client::read(std::string_view topic) {
  if (!patient_.is_feed()) {
    const auto answer = session_->poll(topic, soon());
    expect(answer.has_value(),
           fmt::format("{}'s poll failed: {}", label(), describe(answer.error())));
    return *answer;
  }
  // Virtual time costs nothing.
  const std::vector<Delivered> all =
      receive(std::chrono::milliseconds(patient_.on_threads() ? 200 : 2000));
  if (all.empty()) return std::nullopt;
  if (all.size() > 1) {
    throw CheckFailed{fmt::format("{} was handed {} messages where one was new: {}, then {}",
                                  label(), all.size(), describe(all[0].entry),
                                  describe(all[1].entry))};
  }
  expect(all[0].topic == topic, fmt::format("{} was handed a message of topic '{}', not of '{}'",
                                            label(), all[0].topic, topic));
  return all[0].entry;
}

std::optional<Entry> Patient::Client::read_until(std::string_view payload, std::string_view topic) {
  const Time patience = std::chrono::milliseconds(patient_.on_threads() ? 500 : 2000);
  const Time until = runtime_.now() + patience + patient_.declared_.lag_max;
  std::optional<Entry> entry = read(topic);
  while ((!entry || entry->payload != payload) && runtime_.now() < until) {
    runtime_.sleep_until(runtime_.now() + std::chrono::milliseconds(2));
    std::optional<Entry> next = read(topic);
    if (next || !patient_.is_feed()) entry = std::move(next);
  }
  return entry;
}

std::vector<Delivered> Patient::Client::receive(Time patience) {
  const auto answer = session_->receive(runtime_.now() + patience);
  expect(answer.has_value(),
         fmt::format("{}'s receive failed: {}", label(), describe(answer.error())));
  return *answer;
}

ResumeToken Patient::Client::close() {
  Result<ResumeToken> token = session_->close();
  expect(token.has_value(),
         fmt::format("closing {}'s session failed: {}", label(), describe(token.error())));
  session_.reset();
  return *std::move(token);
}

Patient::Patient(const MakeBackend& make) : make_(make) {
  inner_ = this->make();
  backend_ = std::make_unique<CheckedBackend>(*inner_);
  declared_ = backend_->declare();
}

Patient::~Patient() = default;

std::unique_ptr<Backend> Patient::make() const {
  Result<std::unique_ptr<Backend>> made = make_();
  expect(made.has_value(), "the backend could not be made: " + made.error().text);
  return *std::move(made);
}

void Patient::replace() {
  expect_no_misuse();
  backend_.reset();
  inner_.reset();
  inner_ = make();
  backend_ = std::make_unique<CheckedBackend>(*inner_);
}

void Patient::reset(const std::string& run, std::vector<std::string> topics) {
  const Result<void> done = backend_->reset({run, std::move(topics)});
  expect(done.has_value(),
         fmt::format("the reset for run '{}' failed: {}", run, describe(done.error())));
}

void Patient::together(std::uint32_t count, std::uint64_t seed,
                       const std::function<void(std::uint32_t, Client&)>& body) {
  if (on_threads()) {
    std::vector<std::exception_ptr> thrown(count);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        try {
          Client one(*this, {i, client_label(i), 1}, steady_);
          body(i, one);
        } catch (...) {
          thrown[i] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& one : thrown) {
      if (one) std::rethrow_exception(one);
    }
    return;
  }
  Choices choices(seed);
  const Strategy strategy;
  scheduler_.begin(choices, strategy);
  scheduler_.limit_steps(kStepsMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    scheduler_.spawn(i, "client", [this, i, &body] {
      Client one(*this, {i, client_label(i), 1}, scheduler_.runtime_of(i, Time::zero()));
      body(i, one);
    });
  }
  scheduler_.run();
}

void Patient::alone(const std::function<void(Runtime&)>& body) {
  together(1, 0, [&](std::uint32_t, Client& only) { body(only.runtime()); });
}

std::vector<Entry> Patient::drain(Runtime& runtime, std::string_view topic) {
  std::vector<Entry> entries;
  for (const std::string& node : backend_->nodes()) {
    auto answer = backend_->drain(topic, node, runtime);
    expect(answer.has_value(), fmt::format("draining topic '{}' at node '{}' failed: {}", topic,
                                           node, describe(answer.error())));
    entries = *std::move(answer);
  }
  return entries;
}

void Patient::expect_drained(Runtime& runtime, std::vector<Committed> commits,
                             std::string_view topic) {
  const std::vector<Entry> entries = drain(runtime, topic);
  if (!has_slots() && !is_feed()) {
    // It shows what survived, which the checker judges.
    expect(commits.empty() || !entries.empty(),
           fmt::format("the drain of topic '{}' is empty after {} commits", topic, commits.size()));
    return;
  }
  std::vector<Committed> drained;
  for (const Entry& entry : entries) {
    expect(!entry.unreadable, "the drain has an unreadable entry: " + describe(entry));
    drained.push_back({entry.payload, entry.slot});
  }
  const auto before = [](const Committed& a, const Committed& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.payload < b.payload;
  };
  std::sort(commits.begin(), commits.end(), before);
  // Without slots there is no order to hold it to.
  if (!has_slots()) std::sort(drained.begin(), drained.end(), before);
  const auto text = [](const Committed& one) {
    return shown_payload(one.payload) + (one.slot ? fmt::format(" at slot {}", *one.slot) : "");
  };
  for (std::size_t i = 0; i < std::min(commits.size(), drained.size()); ++i) {
    expect(drained[i] == commits[i],
           fmt::format("the drain of topic '{}' shows {} where {} was acknowledged", topic,
                       text(drained[i]), text(commits[i])));
  }
  if (drained.size() == commits.size()) return;
  const bool is_missing = drained.size() < commits.size();
  throw CheckFailed{fmt::format(
      "the drain of topic '{}' shows {} messages, {} were acknowledged; the first one {} is {}",
      topic, drained.size(), commits.size(), is_missing ? "missing" : "too many",
      text(is_missing ? commits[drained.size()] : drained[commits.size()]))};
}

void Patient::expect_no_misuse() const {
  if (backend_ == nullptr || backend_->misuse().empty()) return;
  throw CheckFailed{"it broke the rules of harness/backend.h: " + backend_->misuse().front().text};
}

}  // namespace causalcheck
