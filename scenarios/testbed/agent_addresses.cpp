#include "scenarios/testbed/agent_addresses.h"

#include <fmt/format.h>

namespace overlane::testbed {
namespace {

/// Of a /24: without its first address, which is the tunnel's, and its last.
constexpr std::uint64_t kMaxPods = 254;

Family other(Family family) {
  return family == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
}

bool both_have(std::array<const agent::HostFacts*, kHosts> hosts, Family family) {
  return hosts[0]->address(family) && hosts[1]->address(family);
}

}  // namespace

IpPrefix agent_pod_range(Family family, std::size_t host, std::uint32_t variant) {
  const std::string text = family == Family::Ipv4
                               ? fmt::format("198.{}.{}.0/24", 18 + host, variant)
                               : fmt::format("2001:2:0:{:x}::/64", host * 256 + variant);
  return IpPrefix::parse(text).value();
}

Parsed<AgentAddresses> AgentAddresses::of(const std::vector<run::TrafficGroup>& groups,
                                          std::array<const agent::HostFacts*, kHosts> hosts,
                                          std::uint32_t variant) {
  const std::vector<PlannedFlow> flows = flows_of(groups);
  AgentAddresses addresses;
  if (!flows.empty()) addresses.family_ = flows.front().client.pod.address.family();
  const bool is_as_is = hosts[0]->network == agent::HostNetwork::AsIs;
  if (is_as_is && !both_have(hosts, addresses.family_))
    addresses.family_ = other(addresses.family_);
  if (!both_have(hosts, addresses.family_))
    return fail(fmt::format("the uplinks of the hosts do not both have an IPv{} address",
                            addresses.family_ == Family::Ipv4 ? 4 : 6));
  for (std::size_t host = 0; host < kHosts; ++host)
    addresses.hosts_[host] = *hosts[host]->address(addresses.family_);
  if (is_as_is) return addresses;
  for (const PlannedFlow& flow : flows)
    for (const PlannedEnd& end : {flow.client, flow.server})
      if (auto done = addresses.add(end, variant); !done) return fail(done.error());
  return addresses;
}

Result<void, std::string> AgentAddresses::add(const PlannedEnd& end, std::uint32_t variant) {
  if (end.is_on_node || pods_.contains(end.pod)) return {};
  const std::size_t host = end.pod.node;
  if (++count_[host] > kMaxPods)
    return fail(fmt::format("more than {} pods on one host", kMaxPods));
  pods_.emplace(end.pod, agent_pod_range(family_, host, variant).network() + count_[host]);
  return {};
}

IpAddress AgentAddresses::of(const PlannedEnd& end) const {
  const auto pod = pods_.find(end.pod);
  return pod != pods_.end() && !end.is_on_node ? pod->second : hosts_[end.pod.node];
}

std::vector<IpAddress> AgentAddresses::pods_of(std::size_t host) const {
  std::vector<IpAddress> own;
  for (const auto& [pod, address] : pods_)
    if (pod.node == host) own.push_back(address);
  return own;
}

}  // namespace overlane::testbed
