#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "checker/declaration.h"
#include "checker/history.h"

namespace causalcheck {

/// What is wrong with a piece of shorthand: the token, and what was expected there.
struct ShorthandError {
  std::string text{};
};

/// Reads a history written in the pocket language of docs/semantics.md, section 7, with this
/// repository's additions. Tokens are separated by blanks; each operation takes the next two
/// positions, its call and its return, and overlaps nothing.
///
///   B!       B publishes; the message is named by the event's symbol, B and its step: B1, B2, ...
///   C<B1     C observes the message that event B1 published (which may stand further on)
///   A<-      A reads nothing
///   x:B!     on topic x; without a prefix the topic is "t", and for a read the one its message was
///            published on. x:A<- reads nothing on x
///   _<B1@3   a line of the drain: the durable log, read at the end. _<- is an empty topic
///   B.       B leaves for good
///   [drop-answer:B ... ]drop-answer:B    a window of a fault, with target or without
///
/// A client is a label, A to Z, AA and so on, or an incarnation such as A~2, whose symbols are
/// written with a dot: A~2.1. Behind an operation, in any order:
///
///   ?    outcome info          @3     slot 3             %    undecodable (outcome info)
///   x    outcome fail          /2     session 2          *    payload of a foreign run
///   d    the message is a delete      $ab$  payload digest "ab"
///   (    only the call; `B)` is the return of B's oldest open operation, `B)2` of its second
///        oldest. One that never returns ended info
///
/// An id between hashes stands in place of a symbol: B!#k# publishes a message named k, C<#k#
/// observes it. Only so can two publishes share an id, or a read show what nobody wrote.
///
/// Steps count a client's publishes and the reads that show it a message, in the order of their
/// numbers (a publish by its call, a read by its return); an equal answer again of a latest read
/// and a message that failed before take none.
///
/// The history gets no header; `declared` becomes its declaration, with sparse slots when it has
/// none and some operation shows one, as in a file. Errors: the first malformed token.
[[nodiscard]] std::variant<History, ShorthandError> parse_shorthand(
    std::string_view text, const Declaration& declared = {});

/// The history in shorthand, one line. Reads back to a history that is judged alike, in which
/// messages go by the symbols of their publishes instead of their ids. Not in it is what the
/// language has no words for: the declaration, the header's flags, nodes, and events at one
/// position, where calls are written before returns. Labels must be as above, and names without
/// blanks, ':', '#' and '$'.
[[nodiscard]] std::string to_shorthand(const History& history);

}  // namespace causalcheck
