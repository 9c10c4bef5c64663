#include <algorithm>

#include <fmt/format.h>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/kernel/set_up/set_up_steps.h"

namespace overlane::kernel {
namespace {

using node::NodeState;
using node::RouteMatch;

bool has_device(const NodeState& state, const RouteMatch& match) {
  return match.route.device.empty() || match.pod != nullptr ||
         state.find_device(match.route.device) != nullptr;
}

/// What an eBPF program says beside the far end (Cilium's is ctx_set_encap_info, bpf/lib), so that
/// the outer header is as outer_rules() have it.
std::string metadata(const node::Device& device, IpAddress far_end) {
  const encap::OuterRules rules = encap::outer_rules(device.encapsulation(), far_end.family());
  return fmt::format(" {} {}{}", far_end.is_ipv4() ? "ttl" : "hoplimit", rules.ttl,
                     rules.udp_checksum == encap::UdpChecksum::Computed ? " csum" : "");
}

/// node::to_string with a destination that also says the family: "default" is IPv4's for `ip`.
///
/// A node sends its ICMP errors to pods from its first address (inet_select_addr,
/// net/ipv4/devinet.c, because the veths have none), which is the uplink's. In a new namespace the
/// fallback tunnel devices come before the uplink, so the pods' routes name that address.
std::string route_text(const NodeState& state, const RouteMatch& match) {
  const IpPrefix destination = match.destination;
  std::string text = node::to_string(match.destination, match.route);
  const std::string_view word = "default";
  if (destination.length() == 0)
    text.replace(text.find(word), word.size(), destination.to_string());
  if (match.route.tunnel_destination) {
    const node::Device* device = state.find_device(match.route.device);
    const std::string_view far_end = " dst ";
    text.insert(
        text.find(far_end),
        fmt::format(" id {}{}", device->vni, metadata(*device, *match.route.tunnel_destination)));
  }
  const auto own = state.address(destination.network().family());
  if (match.pod != nullptr && own) text += " src " + own->to_string();
  return text;
}

}  // namespace

void add_routes(const NodeState& state, std::vector<Command>& commands) {
  // What stands before devices go down, which flushes their routes.
  NodeState all_up = state;
  for (node::Device& device : all_up.devices)
    device.up = true;
  std::vector<RouteMatch> table = node::main_table(all_up);
  // A next hop must be reachable when its route is added.
  std::ranges::stable_partition(table, [](const RouteMatch& match) { return !match.route.via; });
  for (const RouteMatch& match : table) {
    if (!has_device(state, match)) continue;
    commands.push_back({Program::Ip, "route replace " + route_text(state, match)});
  }
  for (const IpPrefix& prefix : state.local_routes)
    commands.push_back(
        {Program::Ip, fmt::format("route add local {} dev lo proto static", prefix.to_string())});
  for (const node::Device& device : state.devices) {
    if (!device.up)
      commands.push_back({Program::Ip, fmt::format("link set {} down", device.name.view())});
  }
}

}  // namespace overlane::kernel
