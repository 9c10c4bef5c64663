#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/node/state/device.h"

namespace overlane::node {

// The packet filter of a node as Felix and kube-proxy write it, reduced to what decides about
// packets: guards of tunnel ports, NOTRACK, masquerading.

/// FELIX_NATPORTRANGE as Gardener sets it on every calico-node.
inline constexpr PortRange kGardenerNatPorts{32768, 65535};

/// A tunnel that is taken from some sources only (Felix's INPUT chain), and dropped from anyone
/// else.
struct TunnelGuard {
  std::uint8_t protocol = 0;   ///< Protocol of the outer packet: 4 for IPIP, 17 for VXLAN.
  std::uint16_t udp_port = 0;  ///< Destination port, for UDP.
  /// From the node addresses of the cluster table (cali40all-hosts-net, cali40all-vxlan-net).
  bool members = true;
  std::vector<IpPrefix> networks;  ///< And from these: externalNodesCIDRs. Sorted.

  auto operator<=>(const TunnelGuard&) const = default;
};

/// What a node knows of the connections that pass it.
enum class Tracking : std::uint8_t {
  /// Nothing: no rule needs to. Fragments pass one by one; else they are put together before
  /// anything looks at them (nf_defrag_ipv4 and nf_defrag_ipv6 come with the first such rule).
  Off,
  /// Connections that a rule translates, or would translate if it took answers for requests. Others
  /// pass unseen, at next to no cost. Linux remembers all. So nf_conntrack_max counts only these, a
  /// rule that
  /// comes takes running connections too, and the node's own connections do not yield their ports.
  Translated,
  /// All, as Linux does.
  All,
};

/// What Felix and Gardener program on a node that decides a packet's fate, in both families: a
/// closed set of rules, not the language they are written in. Lists are sorted. The nodes of a
/// cluster share one.
struct PacketFilter {
  /// Whether connections are tracked, as on every node with Calico or kube-proxy, which ask for
  /// their states. Without it nothing is masqueraded.
  Tracking tracking = Tracking::Off;
  /// Masquerade from the first to anywhere but the second (Felix's cali-nat-outgoing): the pools
  /// with natOutgoing (cali40masq-ipam-pools), and all pools, disabled ones too
  /// (cali40all-ipam-pools; Gardener's no-snat-for-node-cidr is one), with the nodes' addresses if
  /// natOutgoingExclusions says IPPoolsAndHostIPs.
  std::vector<IpPrefix> masqueraded_sources;
  std::vector<IpPrefix> unmasqueraded_destinations;
  /// The iptables chain of the rule above.
  std::string_view masquerade_chain = "cali-nat-outgoing";
  /// It is in an eBPF program instead: only its text differs.
  bool masquerades_in_ebpf = false;
  /// For TCP and UDP of the rule above (natPortRange); other protocols take any identifier.
  std::optional<PortRange> nat_ports;
  /// Masquerade whatever goes there: the nameservers of resolv.conf (snatToUpstreamDNS).
  std::vector<IpPrefix> masqueraded_destinations;
  /// Masquerade what leaves through one of these tunnel devices with an address of the node that is
  /// none of the device's (a host process or a NodePort towards a pod).
  std::vector<DeviceName> tunnel_devices;
  /// Ports picked at random (--random-fully), as Felix does where the kernel can.
  bool random_fully = true;

  /// UDP to these ports that the node sends or receives itself is not tracked (NOTRACK in raw
  /// PREROUTING and OUTPUT): VXLAN.
  std::vector<std::uint16_t> untracked_udp_ports;
  /// One for each protocol and port; others are not inspected.
  std::vector<TunnelGuard> tunnel_guards;

  auto operator<=>(const PacketFilter&) const = default;
};

/// A packet that leaves through `device`, which has `device_address`.
struct Leaving {
  IpAddress source;
  IpAddress destination;
  std::uint8_t protocol = 0;
  DeviceName device;
  std::optional<IpAddress> device_address;
  bool source_is_local = false;  ///< Some device of the node has it.
};

/// A rule that masquerades the packet at hand.
struct MasqueradeRule {
  enum class By : std::uint8_t {
    Destination,   ///< PacketFilter::masqueraded_destinations.
    Source,        ///< PacketFilter::masqueraded_sources.
    TunnelDevice,  ///< PacketFilter::tunnel_devices.
    Mark,          ///< kube-proxy's, behind the filter.
  };
  By by = By::Source;
  IpPrefix destination;       ///< By Destination: the entry.
  std::uint8_t protocol = 0;  ///< By Source: the packet's.
  DeviceName device;          ///< By TunnelDevice.

  auto operator<=>(const MasqueradeRule&) const = default;
};
struct Masquerade {
  MasqueradeRule rule;
  SourceTranslation translation;
};

/// How a connection that opens with this packet is translated: its source becomes the device's
/// address. Nothing when no rule takes it, or when the device has no address of its family.
std::optional<Masquerade> masquerade(const PacketFilter& filter, const Leaving& packet);

/// All that the filter has, in their order; one for each protocol that it treats differently.
std::vector<MasqueradeRule> masquerade_rules(const PacketFilter& filter);

/// The rule's line in to_string(); empty for kube-proxy's.
std::string masquerade_line(const PacketFilter& filter, const MasqueradeRule& rule);

/// Whether NOTRACK applies to a packet that the node sends from, or receives at, one of its own
/// addresses.
bool is_untracked(const PacketFilter& filter, std::uint8_t protocol,
                  std::uint16_t destination_port);

/// The two rules of a port in to_string(): of what comes, and of what leaves.
std::vector<std::string> untracked_lines(std::uint16_t udp_port);

/// The guard of packets for one of the node's own addresses, or null.
const TunnelGuard* find_guard(const PacketFilter& filter, std::uint8_t protocol,
                              std::uint16_t destination_port);

/// Whether the guard admits a packet from `source`; `is_member`: a node of the cluster has that
/// address.
bool admits(const TunnelGuard& guard, IpAddress source, bool is_member);

/// Its two lines in to_string(): what it accepts, and that it drops all else.
std::vector<std::string> guard_lines(const TunnelGuard& guard);

/// The packet filter as `iptables -S` of each table would print it, the sets in braces; IPv6 rules
/// stand among the others.
std::string to_string(const PacketFilter& filter);

}  // namespace overlane::node
