#include "adapters/adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "adapters/broadcast/broadcast_adapter.h"
#include "adapters/exec/exec_adapter.h"
#include "adapters/fs/fs_adapter.h"
#include "adapters/memory/memory_adapter.h"
#include "adapters/replicated/replicated_adapter.h"
#ifdef CAUSALCHECK_WITH_SQLITE
#include "adapters/sqlite/sqlite_adapter.h"
#endif

namespace causalcheck {
namespace {

constexpr std::string_view kReadsMeaning =
    "poll the freshest message of a topic, or be handed all messages one after another";

}  // namespace

const std::vector<AdapterKind>& adapters() {
  static const std::vector<AdapterKind> kAdapters = {
      {"broadcast",
       "a causal-broadcast group over simulated links that delay, lose, repeat and reorder",
       "broadcast",
       {{"order", "causal|immediate|fifo|total", "the order in which each process delivers"},
        {"processes", "1..256", "how many may take part at a time; no limit when absent"},
        {"delay", "LOW..HIGH", "microseconds a packet travels; 5..150"},
        {"loss", "0..300", "packets in 1000 that are lost; 20"},
        {"duplicate", "0..300", "packets in 1000 that arrive twice; 20"},
        {"partition", "0..300", "packets in 1000 with which their link goes down; 2"},
        {"cut", "MICROSECONDS", "how long a link then stays down; 1000"},
        {"links", "reordering|fifo", "whether packets overtake each other on a link"},
        {"retransmit", "on|off", "whether what was not acknowledged is sent again"},
        {"cap", "0..1000000", "broadcasts that may wait at a process; 1024, 0 for no limit"},
        {"at_cap", "block|drop|deliver",
         "what becomes of one too many: it comes again, is forgotten, or the oldest is let go"}},
       &make_broadcast_backend},
      {"exec",
       "a program in any language that speaks the protocol of docs/exec-protocol.md",
       "exec:COMMAND",
       {},
       &make_exec_backend},
      {"fs",
       "objects in local files, claimed by link(2), synced before they are acknowledged",
       "fs[:DIR]",
       {{"reads", "latest|feed", kReadsMeaning},
        {"files", "real|simulated",
         "the system's, or files in memory of a machine that can lose power"},
        {"sync", "both|file|folder|none", "what is synced before a commit is acknowledged"}},
       &make_fs_backend},
      {"memory",
       "objects in the memory of this process: the reference",
       "memory",
       {{"reads", "latest|feed", kReadsMeaning},
        {"execution", "deterministic|threads",
         "whether the clients are fibers of one thread or have a thread each"}},
       &make_memory_backend},
      {"replicated",
       "a simulated store with a leader and followers that lag; promises what its settings give",
       "replicated",
       {{"reads", "latest|feed", kReadsMeaning},
        {"read", "leader|follower|any",
         "who answers reads: the leader, one replica per client, or a different one each time"},
        {"ack", "majority|leader", "how many must have a commit before it is acknowledged"},
        {"token", "no|yes", "whether a read waits until the replica is where the session is"},
        {"promote", "yes|no", "whether a follower takes over from a leader that dies or hangs"},
        {"failover", "0..300", "commits in 1000 at which the leader dies by itself; 0"},
        {"replicas", "1..9", "how many there are; 3"},
        {"lag", "LOW..HIGH", "microseconds until a follower has what the leader has; 0..60"},
        {"claim", "offered|log", "whether it claims what it gives, or what a single log would"}},
       &make_replicated_backend},
#ifdef CAUSALCHECK_WITH_SQLITE
      {"sqlite",
       "rows of an SQLite database, two connections for each client",
       "sqlite[:FILE]",
       {{"reads", "latest|feed", kReadsMeaning},
        {"synchronous", "full|off|normal|extra", "what survives a power loss (PRAGMA synchronous)"},
        {"journal", "wal|delete", "the journal's kind (PRAGMA journal_mode); FILE keeps it"}},
       &make_sqlite_backend},
#endif
  };
  return kAdapters;
}

const std::vector<LeftOut>& left_out_adapters() {
  static const std::vector<LeftOut> kLeftOut = {
#ifndef CAUSALCHECK_WITH_SQLITE
      {"sqlite", "libsqlite3-dev"},
#endif
  };
  return kLeftOut;
}

Result<std::unique_ptr<Backend>> make_backend(std::string_view spec) {
  const Result<BackendUrl> url = parse_backend_url(spec);
  if (url.has_error()) return url.error();
  std::vector<std::string_view> known;
  for (const AdapterKind& kind : adapters()) {
    if (kind.name == url->name) return kind.make(*url);
    known.push_back(kind.name);
  }
  for (const LeftOut& left_out : left_out_adapters()) {
    if (left_out.name != url->name) continue;
    return Error(ErrorCode::kRejected,
                 fmt::format("this build has no '{}', because its library was missing; install the "
                             "package {} and build again",
                             left_out.name, left_out.package));
  }
  return Error(ErrorCode::kRejected,
               fmt::format("unknown backend '{}'; known: {}", url->name, fmt::join(known, ", ")));
}

}  // namespace causalcheck
