#include "dataplane/node/state/instance_owners.h"

#include <algorithm>

namespace overlane::node {

InstanceOwners::InstanceOwners(const FabricState& state) {
  for (std::uint32_t i = 0; i < state.instances.size(); ++i) {
    const Instance& instance = state.instances[i];
    for (const IpAddress address : instance.addresses)
      by_address_.try_emplace(address, i);
    for (const IpPrefix& prefix : instance.prefixes) {
      if (by_prefix_.find(prefix) == nullptr) by_prefix_.set(prefix, i);
    }
  }
}

std::optional<std::uint32_t> InstanceOwners::find(IpAddress address) const {
  const auto at = by_address_.find(address);
  auto owner = at == by_address_.end() ? std::nullopt : std::optional(at->second);
  by_prefix_.longest_match(address, [&](const IpPrefix&, std::uint32_t instance) {
    owner = std::min(instance, owner.value_or(instance));
    return false;
  });
  return owner;
}

}  // namespace overlane::node
