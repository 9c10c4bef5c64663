#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "dataplane/node/state/port_range.h"

namespace overlane::node {

/// How a rule tells who sends.
enum class RuleSource : std::uint8_t {
  Networks,         ///< The source address is in one of the rule's networks (GCP, Alibaba Cloud).
  GroupInterfaces,  ///< An instance of the group sends it, under whatever source address (AWS).
  /// The source address is an instance's of the group, or one of its allowed address pairs
  /// (Neutron's remote group with Open vSwitch: its address sets hold the pairs).
  GroupAddresses,
  /// The source address is an instance's of the group, and no allowed address pair (Neutron's
  /// remote group with OVN; gardener-extension-provider-openstack issue 1404).
  GroupFixedAddresses,
};

std::string_view to_string(RuleSource source);

/// What one rule lets in. There are no rules that refuse, and none about what goes out: the
/// providers' rules as Gardener leaves them have neither.
struct FabricRule {
  RuleSource source = RuleSource::Networks;
  std::vector<IpPrefix> networks;       ///< For Networks.
  std::vector<std::uint8_t> protocols;  ///< IP protocol numbers; empty: all.
  std::vector<PortRange> ports;         ///< Destination ports; empty: all, and no ports at all.

  auto operator<=>(const FabricRule&) const = default;
};

/// A security group, or the firewall rules of a VPC: what a packet that opens a connection must
/// pass to reach an instance, judged by its outermost header. What answers to a packet that went
/// through passes as well (ExpectedAnswers).
struct SecurityGroup {
  std::string name;
  bool every_instance = false;  ///< Applies to every instance of the VPC (a GCP rule without tags).
  std::vector<FabricRule> rules;

  auto operator<=>(const SecurityGroup&) const = default;
};

std::string to_string(const FabricRule& rule);

}  // namespace overlane::node
