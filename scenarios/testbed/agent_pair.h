#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/kernel/agent/client.h"
#include "dataplane/kernel/agent/protocol/messages.h"
#include "scenarios/testbed/cluster.h"

namespace overlane::testbed {

// Two hosts as the nodes of a measurement. An agent on each host creates the devices, routes and
// pods of its node, and runs the ends of the flows there. This program only sends requests to the
// agents and compares the results. The IPv4 addresses of pods are in 198.18.0.0/15 (RFC 2544), so
// that they do not conflict with the hosts' network.

/// Number of hosts, each with one agent and one node.
inline constexpr std::size_t kHosts = 2;

/// Returns the address range of the pods of a variant on a host. The ranges are reserved for
/// measurements and therefore free: for variant V, 198.18.V.0/24 on the first host and
/// 198.19.V.0/24 on the second (RFC 2544), or 2001:2:0:V::/64 and 2001:2:0:1VV::/64 (RFC 5180).
IpPrefix agent_pod_range(Family family, std::size_t host, std::uint32_t variant);

/// The addresses of a variant's flows on two hosts.
class AgentAddresses {
 public:
  /// Allocates an address for each end of the groups' flows. Fails if the hosts have no addresses
  /// of the IP family of the pods' traffic, or if there are too many pods. Over an existing
  /// network, where no pods are created, hosts without that family use the other one.
  static Parsed<AgentAddresses> of(const std::vector<run::TrafficGroup>& groups,
                                   std::array<const agent::HostFacts*, kHosts> hosts,
                                   std::uint32_t variant);

  IpAddress of(const PlannedEnd& end) const;
  /// Returns the addresses of the pods on a host; none over an existing network.
  std::vector<IpAddress> pods_of(std::size_t host) const;
  /// The IP family of all traffic.
  Family family() const { return family_; }

 private:
  Result<void, std::string> add(const PlannedEnd& end, std::uint32_t variant);

  Family family_ = Family::Ipv4;
  std::array<IpAddress, kHosts> hosts_;
  std::map<run::PodEnd, IpAddress> pods_;
  std::array<std::uint64_t, kHosts> count_{};
};

/// Two hosts with agents. The first host is node 1 of each variant, the second host is node 2. All
/// variants exist at the same time, each with its own addresses (agent_pod_range).
class AgentPair : public Hosts {
 public:
  /// Connects to both agents and requests the facts of their hosts. `stop` must outlive the pair.
  static Result<std::unique_ptr<AgentPair>, std::string> connect(
      const std::array<agent::Endpoint, 2>& endpoints, const agent::Token& token,
      const std::atomic<bool>& stop);

  std::string kernel_release() const override;
  std::vector<model::MeasuredHost> facts() const override;
  bool is_as_is() const override;
  Findings findings() const override;
  std::string obstacle(const run::Network& network) const override;
  Result<std::unique_ptr<Cluster>, HostsFailure> make(
      const run::Network& network, const std::vector<run::TrafficGroup>& groups,
      const kernel::DeviceOffloads& offloads) override;

  /// Whether both agents run on one machine and share its processors.
  bool is_one_machine() const;
  /// Lets both agents remove everything that they created. Fails if an agent could not remove
  /// something (the error names it) or has disappeared. No variant can be measured afterwards.
  Result<void, std::string> finish();

 private:
  friend class AgentCluster;

  struct Member {
    agent::Client client;
    agent::HostFacts facts;
  };
  using Done = Result<void, HostsFailure>;

  explicit AgentPair(std::vector<Member> members) : members_(std::move(members)) {}

  /// Sends one request to each agent. Both work at the same time.
  template <typename Expected>
  Result<std::vector<Expected>, HostsFailure> ask_both(
      const std::array<agent::Request, 2>& requests,
      std::chrono::milliseconds patience = agent::kAnswerPatience);

  std::vector<Member> members_;  ///< Both agents, in the order of the nodes.
  std::uint32_t made_ = 0;       ///< Variants.
};

}  // namespace overlane::testbed
