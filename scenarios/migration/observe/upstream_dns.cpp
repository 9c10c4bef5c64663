#include "scenarios/migration/observe/upstream_dns.h"

#include <algorithm>
#include <utility>

#include "dataplane/forward/packet.h"

namespace overlane::migration {

void UpstreamDns::see(const node::WorldChange& change, Picos now) {
  for (const auto& [node, of_node] : change.nodes) {
    if (!of_node.filter || are_masqueraded(world_.nodes[node]) == !open_[node]) continue;
    if (open_[node]) {
      outages_[*std::exchange(open_[node], std::nullopt)].end = now;
    } else {
      open_[node] = outages_.size();
      outages_.push_back({.from = node, .to = node, .begin = now, .end = {}, .reason = {}});
    }
  }
}

bool UpstreamDns::are_masqueraded(const node::NodeState& node) const {
  const node::Device& uplink = *node.uplink();
  return std::ranges::all_of(nameservers_, [&](const IpPrefix& nameserver) {
    return node::masquerade(*node.filter, {.source = node.pods.front().address,
                                           .destination = nameserver.network(),
                                           .protocol = forward::kUdp,
                                           .device = uplink.name,
                                           .device_address = uplink.addresses.front()})
        .has_value();
  });
}

}  // namespace overlane::migration
