#include "scenarios/migration/observe/upstream_dns.h"

#include <algorithm>
#include <utility>

#include "dataplane/forward/packet.h"

namespace overlane::migration {

UpstreamDns::UpstreamDns(const node::World& world, std::uint32_t joining,
                         std::vector<IpPrefix> nameservers)
    : world_(world),
      nameservers_(std::move(nameservers)),
      absent_(world.nodes.size(), false),
      open_(world.nodes.size()) {
  std::fill_n(absent_.rbegin(), joining, true);
}

void UpstreamDns::see(const node::WorldChange& change, Picos now) {
  for (const auto& [node, of_node] : change.nodes)
    if (of_node.filter && !absent_[node]) note(node, are_masqueraded(world_.nodes[node]), now);
}

void UpstreamDns::join(std::uint32_t node, Picos now) {
  absent_[node] = false;
  note(node, are_masqueraded(world_.nodes[node]), now);
}

void UpstreamDns::leave(std::uint32_t node, Picos now) {
  absent_[node] = true;
  note(node, true, now);
}

void UpstreamDns::note(std::uint32_t node, bool are_masqueraded, Picos now) {
  if (are_masqueraded == !open_[node]) return;
  if (are_masqueraded) {
    outages_[*std::exchange(open_[node], std::nullopt)].end = now;
  } else {
    open_[node] = outages_.size();
    outages_.push_back({.from = node, .to = node, .begin = now, .end = {}, .reason = {}});
  }
}

bool UpstreamDns::are_masqueraded(const node::NodeState& node) const {
  const auto pod = std::ranges::find_if(
      node.pods, [](const node::LocalPod& one) { return one.address.is_ipv4(); });
  const node::Device& uplink = *node.uplink();
  return std::ranges::all_of(nameservers_, [&](const IpPrefix& nameserver) {
    return node::masquerade(*node.filter, {.source = pod->address,
                                           .destination = nameserver.network(),
                                           .protocol = forward::kUdp,
                                           .device = uplink.name,
                                           .device_address = uplink.addresses.front()})
        .has_value();
  });
}

}  // namespace overlane::migration
