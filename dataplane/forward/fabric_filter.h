#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/forward/packet.h"
#include "dataplane/node/runtime/fabric_runtime.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::forward {

// Security groups and deny rules of the VPC: which packets the cloud lets into an instance, and
// which it drops between instances. Security groups are stateful, so answers pass when a
// FabricRuntime remembers the request. Deny rules (network ACLs and the like) have no memory.

/// Whether the security groups of instance `to` take a packet that instance `from` sends: by a
/// rule, or as an answer that `runtime` expects. Without a runtime only rules count. A later
/// fragment has no ports, so no rule with ports takes it. An ICMP error passes with the answers to
/// the packet it quotes.
bool admits(const node::FabricState& state, std::uint32_t from, std::uint32_t to,
            const Packet& packet, node::FabricRuntime* runtime = nullptr, Picos now = {});

/// The rule of the security groups of instance `to` that takes a packet that instance `from` sends
/// and that opens a connection; nothing when none does or none is asked.
struct TakingRule {
  const node::SecurityGroup* group = nullptr;
  const node::FabricRule* rule = nullptr;
};
std::optional<TakingRule> taking_rule(const node::FabricState& state, std::uint32_t from,
                                      std::uint32_t to, const Packet& packet);

/// The first entry of the fabric's packet filter that drops the packet; nothing when none does.
const node::DenyRule* denying_rule(const node::FabricState& state, const Packet& packet);

}  // namespace overlane::forward
