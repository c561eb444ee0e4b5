#include "harness/choice_streams.h"

#include <algorithm>

#include "harness/split_mix.h"

namespace causalcheck {

void ChoiceStreams::begin(std::uint64_t seed, const std::optional<std::vector<std::uint32_t>>& list,
                          std::size_t count) {
  streams_.clear();
  for (std::size_t index = 0; index < count; ++index) {
    if (!list) {
      streams_.emplace_back(split_mix(seed + kSplitMixGamma * (index + 1)));
      continue;
    }
    std::vector<std::uint32_t> share;
    share.reserve(list->size() / count + 1);
    for (std::size_t at = index; at < list->size(); at += count) share.push_back((*list)[at]);
    streams_.emplace_back(std::move(share));
  }
}

std::vector<std::uint32_t> ChoiceStreams::consumed() const {
  std::size_t longest = 0;
  for (const Choices& stream : streams_) longest = std::max(longest, stream.consumed().size());
  std::vector<std::uint32_t> list;
  list.reserve(longest * streams_.size());
  for (std::size_t at = 0; at < longest; ++at) {
    for (const Choices& stream : streams_) {
      list.push_back(at < stream.consumed().size() ? stream.consumed()[at] : 0);
    }
  }
  while (!list.empty() && list.back() == 0) list.pop_back();
  return list;
}

}  // namespace causalcheck
