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

// The VPC: instances with their addresses and source checks, subnets, route tables with quotas,
// security groups and deny rules. It is a plain value, changed only by FabricEditor (world.h),
// and read by forward(). InstanceOwners is an index over a state for lookups of addresses; it
// is valid until the state changes.

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

/// What a packet filter in the fabric drops, between any two instances and whichever way: the
/// "deny" of a network ACL (AWS), of a firewall rule (GCP), of a network security group (Azure).
/// Judged by the outermost header, without a memory of connections. What answers the fabric itself
/// sends (ICMP) pass it, too.
struct DenyRule {
  std::uint8_t protocol = 0;  ///< IP protocol number.
  /// Destination port of TCP or UDP; nothing: all, and later fragments, which show none.
  std::optional<std::uint16_t> port;
  /// Type of an ICMP message; nothing: all types, and later fragments.
  std::optional<std::uint8_t> icmp_type;
  std::optional<std::uint8_t> icmp_code;
  bool disabled = false;  ///< It stands there and drops nothing, as a firewall rule of GCP can.

  auto operator<=>(const DenyRule&) const = default;
};

/// "deny icmp type 3 code 4", "deny udp port 4789", "deny protocol 50".
std::string to_string(const DenyRule& rule);

/// Where a VPC route leads.
enum class FabricTarget : std::uint8_t {
  Local,      ///< Inside the VPC: the instance that owns the address.
  Instance,   ///< The instance `FabricRoute::instance`, whatever the destination.
  Blackhole,  ///< The target is gone (AWS shows such a route as "blackhole").
  Internet,   ///< Leaves the VPC.
  Foreign,    ///< An instance of another owner in the VPC, which does not pass the packet on.
};

/// Who wrote a VPC route: it decides who may delete it. Bgp: a node announces it.
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
  /// Most routes of a family that the provider allows; 0 when not known. (Amazon VPC quotas: "is
  /// enforced separately for IPv4 routes and IPv6 routes".)
  std::uint32_t quota = 0;
  /// How many of `quota` go to routes of the system and of the infrastructure (local and default
  /// routes among them): providers differ in which of these count.
  std::uint32_t counted_others = 0;
  bool families_share_quota = false;  ///< Routes of both families count together.

  bool operator==(const RouteTable&) const = default;
};

struct Subnet {
  std::string name;
  std::string zone;             ///< Empty: several zones have it.
  std::vector<IpPrefix> cidrs;  ///< One of each family at most.
  std::uint32_t route_table = 0;

  auto operator<=>(const Subnet&) const = default;
};

/// A machine's interface in the VPC.
struct Instance {
  std::string name;
  std::vector<IpAddress> addresses;  ///< One of each family at most.
  /// Handed to the interface, so that the fabric knows them without a route: prefixes delegated to
  /// it (AWS), alias ranges (GCP).
  std::vector<IpPrefix> prefixes;
  std::uint32_t subnet = 0;
  /// Source/destination check (AWS), IP forwarding off (Azure, GCP), port security (OpenStack): the
  /// fabric drops packets whose address on this side is none of `addresses` and neither in
  /// `prefixes` nor in `allowed`.
  bool source_destination_check = false;
  std::vector<IpPrefix> allowed;      ///< Allowed address pairs.
  std::vector<std::uint32_t> groups;  ///< Indices into FabricState::groups.
  std::string zone;                   ///< Where the subnet has none; see zone_of().

  /// Whether the fabric knows the address as the interface's own.
  bool owns(IpAddress address) const;

  auto operator<=>(const Instance&) const = default;
};

/// What the ways between instances carry where something on them has a smaller MTU than the links:
/// a VPN, a peering, a transit gateway.
struct FabricPathMtu {
  std::uint32_t within_zone = 0;  ///< IP bytes; 0: as much as the links.
  std::uint32_t across_zones = 0;
  /// The sender gets no ICMP error about what does not fit, as with AWS's transit gateways did
  /// until 2025; else its subnet's router does (RFC 1191, RFC 8201).
  bool silent = false;

  auto operator<=>(const FabricPathMtu&) const = default;
};

/// For which addresses an interface's link-layer requests are answered (ARP, neighbour
/// discovery): those of its own subnet, as on any Ethernet segment, or all, by proxy.
enum class LinkLayerAnswers : std::uint8_t { WithinSubnet, AllAddresses };

/// The configuration of one VPC that decides a packet's fate between nodes. A FabricEditor changes
/// it once it is made.
struct FabricState {
  std::string name;
  std::uint32_t mtu = 1500;  ///< IP MTU of every link, bytes.
  FabricPathMtu path_mtu;
  /// IP MTU of the way out to global addresses (an internet gateway), where it is smaller than the
  /// links'; 0: as large. A packet that may be fragmented leaves in fragments; else
  /// the router of the sender's subnet answers with an ICMP error.
  std::uint32_t egress_mtu = 0;
  std::vector<Subnet> subnets;
  std::vector<RouteTable> route_tables;
  std::vector<Instance> instances;
  /// Security groups and firewalls. An instance that none applies to takes everything.
  std::vector<SecurityGroup> groups;
  std::vector<std::uint8_t> dropped_protocols;  ///< IP protocol numbers the fabric does not carry.
  std::vector<DenyRule> denied;                 ///< What a packet filter drops.
  /// Azure drops fragments that do not come in order ("TCP/IP performance tuning for Azure VMs").
  bool drops_disordered_fragments = false;
  /// How many hops between subnets decrement the hop limit. None does in the VPCs of AWS, Azure and
  /// GCP (a traceroute inside one shows no router); a Neutron router does.
  std::uint8_t decrementing_hops = 0;
  /// Whether a packet sent to a neighbour's link address goes to that neighbour, as on AWS and
  /// OpenStack; on GCP and Azure the destination address alone decides.
  bool honours_next_hop = true;
  /// A packet to a next hop that does not answer stays on its node.
  LinkLayerAnswers link_layer_answers = LinkLayerAnswers::AllAddresses;
  /// GCP refuses a route whose destination is a subnet's range or lies in one.
  bool protects_subnets = false;
  Generation generation;

  /// Structural, without the generation.
  bool operator==(const FabricState& other) const;
};

/// The subnet's router in this family: its first address (AWS, GCP and OpenStack put it there).
/// Nothing when the subnet has no range of the family.
std::optional<IpAddress> router(const Subnet& subnet, bool ipv4);

/// Whether an interface in this subnet gets an answer when it asks for the next hop's link address.
inline bool answers_for(const FabricState& state, const Subnet& subnet, IpAddress next_hop) {
  if (state.link_layer_answers == LinkLayerAnswers::AllAddresses) return true;
  for (const IpPrefix& cidr : subnet.cidrs) {
    if (cidr.contains(next_hop)) return true;
  }
  return next_hop.high >> 54 == 0xfe80 >> 6;  // fe80::/10 is of every subnet.
}

/// The zone of the instance's subnet, or its own where several zones have the subnet.
std::string_view zone_of(const FabricState& state, const Instance& instance);

/// The largest IP packet that gets from one instance to another, bytes.
std::uint32_t path_mtu(const FabricState& state, const Instance& from, const Instance& to);

/// Subnets, route tables, guards and filters, one line each.
std::string to_string(const FabricState& state);

/// Which instance of a fabric's state owns an address (Instance::owns), without asking each.
class InstanceOwners {
 public:
  /// Good until the state changes.
  explicit InstanceOwners(const FabricState& state);

  /// The number of the first instance that owns it, or nothing.
  std::optional<std::uint32_t> find(IpAddress address) const;

 private:
  std::unordered_map<IpAddress, std::uint32_t, AddressHash> by_address_;
  fib::PrefixTable<std::uint32_t> by_prefix_;  ///< The first with that prefix.
};

}  // namespace overlane::node
