#include "sim/run/inputs/traffic_group.h"

#include <unordered_map>

#include "dataplane/net/flow_hash.h"

namespace overlane::run {

namespace {

struct PodHash {
  std::size_t operator()(const PodEnd& pod) const {
    return murmur_mix(AddressHash()(pod.address) + pod.node);
  }
};

}  // namespace

PodPairs::PodPairs(const std::vector<PodPair>& pairs) {
  std::unordered_map<PodEnd, std::uint32_t, PodHash> numbers;
  const auto number_of = [&](const PodEnd& pod) {
    const auto [at, is_new] = numbers.try_emplace(pod, static_cast<std::uint32_t>(pods_.size()));
    if (is_new) pods_.push_back(pod);
    return at->second;
  };
  pairs_.reserve(pairs.size());
  for (const auto& [source, destination] : pairs) {
    const std::uint32_t from = number_of(source);
    pairs_.emplace_back(from, number_of(destination));
  }
}

}  // namespace overlane::run
