#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/kernel/agent/client.h"
#include "scenarios/testbed/agent_addresses.h"
#include "scenarios/testbed/cluster.h"

namespace overlane::testbed {

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

  /// The same request to both, which work at once.
  template <typename Expected>
  Result<std::vector<Expected>, HostsFailure> ask_both(
      const std::array<agent::Request, 2>& requests,
      std::chrono::milliseconds patience = agent::kAnswerPatience);

  std::vector<Member> members_;  ///< Two.
  std::uint32_t made_ = 0;       ///< Variants.
};

}  // namespace overlane::testbed
