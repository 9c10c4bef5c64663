#pragma once

#include <array>
#include <map>
#include <vector>

#include "dataplane/kernel/agent/protocol/messages.h"
#include "scenarios/testbed/slice.h"

namespace overlane::testbed {

/// Two agents are two nodes.
inline constexpr std::size_t kHosts = 2;

/// What a variant's pods on a host have their addresses of: a range for measurements, and thus
/// free. 198.18.V.0/24 on the first host and 198.19.V.0/24 on the second for variant V (RFC 2544),
/// or 2001:2:0:V::/64 and 2001:2:0:1VV::/64 (RFC 5180).
IpPrefix agent_pod_range(Family family, std::size_t host, std::uint32_t variant);

/// The addresses of a variant's flows on two hosts.
class AgentAddresses {
 public:
  /// Fails if the hosts have no addresses of the family of the pods' traffic, or if there are too
  /// many pods. Over the network as it is, where no pods are made, hosts without that family speak
  /// the other one.
  static Parsed<AgentAddresses> of(const std::vector<run::TrafficGroup>& groups,
                                   std::array<const agent::HostFacts*, kHosts> hosts,
                                   std::uint32_t variant);

  IpAddress of(const PlannedEnd& end) const;
  /// None over the network as it is.
  std::vector<IpAddress> pods_of(std::size_t host) const;
  /// Of all traffic.
  Family family() const { return family_; }

 private:
  Result<void, std::string> add(const PlannedEnd& end, std::uint32_t variant);

  Family family_ = Family::Ipv4;
  std::array<IpAddress, kHosts> hosts_;
  std::map<run::PodEnd, IpAddress> pods_;
  std::array<std::uint64_t, kHosts> count_{};
};

}  // namespace overlane::testbed
