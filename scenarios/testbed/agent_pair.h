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

// Two hosts as the nodes of a measurement. An agent on each host makes the devices, routes and pods
// of its node, and runs the ends of the flows there; this program only sends requests to the agents
// and compares. Pods' IPv4 addresses are taken from 198.18.0.0/15 (RFC 2544), so that they do not
// conflict with the hosts' network.

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
  /// The IP family of all traffic.
  Family family() const { return family_; }

 private:
  Result<void, std::string> add(const PlannedEnd& end, std::uint32_t variant);

  Family family_ = Family::Ipv4;
  std::array<IpAddress, kHosts> hosts_;
  std::map<run::PodEnd, IpAddress> pods_;
  std::array<std::uint64_t, kHosts> count_{};
};

/// Two hosts with agents: node 1 of each variant is the first, node 2 the second. All variants
/// exist at once, each with addresses of its own (agent_pod_range).
class AgentPair : public Hosts {
 public:
  /// Connects to both, and asks for the facts. `stop` must outlive the pair.
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

  /// Whether both agents run on one machine, whose processors they share.
  bool is_one_machine() const;
  /// Has all removed. Fails with what an agent could not remove, or if one has disappeared; no
  /// variant can be measured afterwards.
  Result<void, std::string> finish();

 private:
  friend class AgentCluster;

  struct Member {
    agent::Client client;
    agent::HostFacts facts;
  };
  using Done = Result<void, HostsFailure>;

  explicit AgentPair(std::vector<Member> members) : members_(std::move(members)) {}

  /// Sends one request to both agents, which work at once.
  template <typename Expected>
  Result<std::vector<Expected>, HostsFailure> ask_both(
      const std::array<agent::Request, 2>& requests,
      std::chrono::milliseconds patience = agent::kAnswerPatience);

  std::vector<Member> members_;  ///< Two.
  std::uint32_t made_ = 0;       ///< Variants.
};

}  // namespace overlane::testbed
