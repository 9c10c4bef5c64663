#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/address.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/net/prefix.h"
#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/node/state/generation.h"

namespace overlane::node {

// The configuration of a VPC: instances with their addresses and source checks, subnets, route
// tables with quotas, security groups and deny rules. FabricState is a plain value. Only
// FabricEditor (world.h) changes it; forward() reads it. InstanceOwners is an index over a state
// for lookups of addresses; it is valid until the state changes.

/// How a rule selects the senders.
enum class RuleSource : std::uint8_t {
  Networks,         ///< The source address is in one of the rule's networks (GCP, Alibaba Cloud).
  GroupInterfaces,  ///< An instance of the group sends the packet, with any source address (AWS).
  /// The source address belongs to an instance of the group, or is one of its allowed address pairs
  /// (Neutron's remote group with Open vSwitch: its address sets contain the pairs).
  GroupAddresses,
  /// The source address belongs to an instance of the group, and is no allowed address pair
  /// (Neutron's remote group with OVN; gardener-extension-provider-openstack issue 1404).
  GroupFixedAddresses,
};

std::string_view to_string(RuleSource source);

/// One allow rule for ingress. There are no deny rules and no rules for egress, because the
/// providers' rules, as Gardener configures them, have neither.
struct FabricRule {
  RuleSource source = RuleSource::Networks;
  std::vector<IpPrefix> networks;       ///< For Networks.
  std::vector<std::uint8_t> protocols;  ///< IP protocol numbers; empty: all.
  std::vector<PortRange> ports;  ///< Destination ports. Empty: all, and packets without ports.

  auto operator<=>(const FabricRule&) const = default;
};

/// A security group, or the firewall rules of a VPC. A packet that opens a connection must match
/// one of the rules to reach an instance. The rules apply to its outermost header. Answers to
/// admitted packets pass as well (ExpectedAnswers).
struct SecurityGroup {
  std::string name;
  bool every_instance = false;  ///< Applies to every instance of the VPC (a GCP rule without tags).
  std::vector<FabricRule> rules;

  auto operator<=>(const SecurityGroup&) const = default;
};

std::string to_string(const FabricRule& rule);

/// A rule by which the fabric drops packets between any two instances, in both directions: a "deny"
/// of a network ACL (AWS), of a firewall rule (GCP) or of a network security group (Azure). It
/// applies to the outermost header and is stateless. It also applies to ICMP errors that the fabric
/// itself sends.
struct DenyRule {
  std::uint8_t protocol = 0;  ///< IP protocol number.
  /// Destination port of TCP or UDP. Nothing: all ports, and later fragments, which have no port.
  std::optional<std::uint16_t> port;
  /// Type of an ICMP message. Nothing: all types, and later fragments.
  std::optional<std::uint8_t> icmp_type;
  std::optional<std::uint8_t> icmp_code;
  /// The rule exists and drops nothing, like a disabled firewall rule of GCP.
  bool disabled = false;

  auto operator<=>(const DenyRule&) const = default;
};

/// Returns the rule as text: "deny icmp type 3 code 4", "deny udp port 4789", "deny protocol 50".
std::string to_string(const DenyRule& rule);

/// The target of a VPC route.
enum class FabricTarget : std::uint8_t {
  Local,      ///< Inside the VPC: the instance that owns the address.
  Instance,   ///< The instance `FabricRoute::instance`, whatever the destination.
  Blackhole,  ///< The target is gone (AWS shows such a route as "blackhole").
  Internet,   ///< Leaves the VPC.
  Foreign,    ///< An instance of another owner in the VPC, which does not forward the packet.
};

/// The writer of a VPC route, which decides who may delete it. Bgp: a node announces it.
enum class FabricRouteOwner : std::uint8_t { System, Infrastructure, RouteController, User, Bgp };

std::string_view to_string(FabricTarget target);
std::string_view to_string(FabricRouteOwner owner);

struct FabricRoute {
  FabricTarget target = FabricTarget::Local;
  std::uint32_t instance = 0;  ///< Index into FabricState::instances, for Instance.
  FabricRouteOwner owner = FabricRouteOwner::System;

  auto operator<=>(const FabricRoute&) const = default;
};

struct RouteTable {
  std::string name;
  fib::PrefixTable<FabricRoute> routes;
  /// Maximum number of routes per family that the provider allows; 0 if not known. (Amazon VPC
  /// quotas: "is enforced separately for IPv4 routes and IPv6 routes".)
  std::uint32_t quota = 0;
  /// Routes of the system and of the infrastructure that count against `quota`, such as local and
  /// default routes. Providers differ in which of these count.
  std::uint32_t counted_others = 0;
  bool families_share_quota = false;  ///< Routes of both families count together.

  bool operator==(const RouteTable&) const = default;
};

struct Subnet {
  std::string name;
  std::string zone;             ///< Empty if the subnet spans several zones.
  std::vector<IpPrefix> cidrs;  ///< One of each family at most.
  std::uint32_t route_table = 0;

  auto operator<=>(const Subnet&) const = default;
};

/// A machine's interface in the VPC.
struct Instance {
  std::string name;
  std::vector<IpAddress> addresses;  ///< One of each family at most.
  /// Prefixes that the fabric delivers to the interface without a route: delegated prefixes (AWS),
  /// alias ranges (GCP).
  std::vector<IpPrefix> prefixes;
  std::uint32_t subnet = 0;
  /// Source/destination check (AWS), IP forwarding off (Azure, GCP), port security (OpenStack): the
  /// fabric drops packets from this interface by source address, and packets to it by destination
  /// address, unless the address is in `addresses`, `prefixes` or `allowed`.
  bool source_destination_check = false;
  std::vector<IpPrefix> allowed;      ///< Allowed address pairs.
  std::vector<std::uint32_t> groups;  ///< Indices into FabricState::groups.
  std::string zone;  ///< Zone of the instance if the subnet has none; see zone_of().

  /// Returns whether the address is one of the interface's addresses or in its prefixes.
  bool owns(IpAddress address) const;

  auto operator<=>(const Instance&) const = default;
};

/// Path MTUs between instances. They are smaller than the links' MTU if a VPN, a peering or a
/// transit gateway is on the path.
struct FabricPathMtu {
  std::uint32_t within_zone = 0;  ///< Bytes of an IP packet; 0: the links' MTU.
  std::uint32_t across_zones = 0;
  /// If true, the sender of a packet that is too large gets no ICMP error, as with AWS's transit
  /// gateways until 2025. Else its subnet's router sends one (RFC 1191, RFC 8201).
  bool silent = false;

  auto operator<=>(const FabricPathMtu&) const = default;
};

/// The addresses for which link-layer requests of an interface are answered (ARP, neighbour
/// discovery): those of its own subnet, as on any Ethernet segment, or all, by proxy.
enum class LinkLayerAnswers : std::uint8_t { WithinSubnet, AllAddresses };

/// The configuration of one VPC, reduced to the part that decides about packets between nodes. Only
/// a FabricEditor changes it.
struct FabricState {
  std::string name;
  std::uint32_t mtu = 1500;  ///< IP MTU of every link, bytes.
  FabricPathMtu path_mtu;
  /// IP MTU in bytes towards global addresses (an internet gateway), if it is smaller than the
  /// links' MTU; 0: the links' MTU. A packet without DF leaves in fragments. For any other packet
  /// the router of the sender's subnet sends an ICMP error.
  std::uint32_t egress_mtu = 0;
  std::vector<Subnet> subnets;
  std::vector<RouteTable> route_tables;
  std::vector<Instance> instances;
  /// Security groups and firewalls. An instance to which none applies accepts all packets.
  std::vector<SecurityGroup> groups;
  std::vector<std::uint8_t> dropped_protocols;  ///< IP protocol numbers that the fabric drops.
  std::vector<DenyRule> denied;                 ///< Rules of the fabric's packet filter.
  /// Azure drops fragments that arrive out of order ("TCP/IP performance tuning for Azure VMs").
  bool drops_disordered_fragments = false;
  /// Number of hops between subnets that decrement the hop limit. 0 in the VPCs of AWS, Azure and
  /// GCP (a traceroute inside one shows no router); a Neutron router is one such hop.
  std::uint8_t decrementing_hops = 0;
  /// True if the fabric delivers a packet to the neighbour with its destination MAC, as on AWS and
  /// OpenStack. On GCP and Azure the destination address alone decides.
  bool honours_next_hop = true;
  /// A packet to a next hop without an answer does not leave its node.
  LinkLayerAnswers link_layer_answers = LinkLayerAnswers::AllAddresses;
  /// GCP rejects a route whose destination is a subnet's range or a part of one.
  bool protects_subnets = false;
  Generation generation;

  /// Compares the structure without the generation.
  bool operator==(const FabricState& other) const;
};

/// Returns the address of the subnet's router in this family: the subnet's first address (as in
/// AWS, GCP and OpenStack). Returns nothing if the subnet has no range of the family.
std::optional<IpAddress> router(const Subnet& subnet, bool ipv4);

/// Returns whether an interface in this subnet gets an answer to its link-layer request for the
/// next hop.
inline bool answers_for(const FabricState& state, const Subnet& subnet, IpAddress next_hop) {
  if (state.link_layer_answers == LinkLayerAnswers::AllAddresses) return true;
  for (const IpPrefix& cidr : subnet.cidrs) {
    if (cidr.contains(next_hop)) return true;
  }
  return next_hop.high >> 54 == 0xfe80 >> 6;  // fe80::/10 is part of every subnet.
}

/// Returns the zone of the instance's subnet, or the instance's own zone if the subnet spans
/// several zones.
std::string_view zone_of(const FabricState& state, const Instance& instance);

/// Returns the size of the largest IP packet from one instance to another, in bytes.
std::uint32_t path_mtu(const FabricState& state, const Instance& from, const Instance& to);

/// Returns subnets, route tables, instances and filters, one line each.
std::string to_string(const FabricState& state);

/// An index from addresses to the instances that own them (Instance::owns).
class InstanceOwners {
 public:
  /// The index is valid until the state changes.
  explicit InstanceOwners(const FabricState& state);

  /// Returns the number of the first instance that owns the address; nothing if there is none.
  std::optional<std::uint32_t> find(IpAddress address) const;

 private:
  std::unordered_map<IpAddress, std::uint32_t, AddressHash> by_address_;
  fib::PrefixTable<std::uint32_t> by_prefix_;  ///< The first instance with each prefix.
};

}  // namespace overlane::node
