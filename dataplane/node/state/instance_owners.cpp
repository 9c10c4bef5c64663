#include "dataplane/node/state/instance_owners.h"

#include <algorithm>

#include "dataplane/net/flow_hash.h"

namespace overlane::node {

std::size_t InstanceOwners::Hash::operator()(IpAddress address) const {
  return murmur_mix(murmur_mix(address.high) + address.low);
}

InstanceOwners::InstanceOwners(const FabricState& state) : state_(&state) {
  for (std::uint32_t i = 0; i < state.instances.size(); ++i) {
    const Instance& instance = state.instances[i];
    for (const IpAddress address : instance.addresses)
      by_address_.try_emplace(address, i);
    if (!instance.prefixes.empty()) with_prefixes_.push_back(i);
  }
}

std::optional<std::uint32_t> InstanceOwners::find(IpAddress address) const {
  const auto at = by_address_.find(address);
  const std::uint32_t most =
      at == by_address_.end() ? static_cast<std::uint32_t>(state_->instances.size()) : at->second;
  for (const std::uint32_t i : with_prefixes_) {
    if (i >= most) break;
    if (state_->instances[i].owns(address)) return i;
  }
  return at == by_address_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace overlane::node
