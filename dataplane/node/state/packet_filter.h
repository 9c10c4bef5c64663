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

// The packet filter of a node as Felix and kube-proxy program it, reduced to the rules that matter
// to forwarding: guards of tunnel ports, NOTRACK, masquerading.

/// FELIX_NATPORTRANGE as Gardener sets it for every calico-node.
inline constexpr PortRange kGardenerNatPorts{32768, 65535};

/// A rule that accepts packets of a tunnel from some sources only, and drops all others (Felix's
/// INPUT chain).
struct TunnelGuard {
  std::uint8_t protocol = 0;   ///< Protocol of the outer packet: 4 for IPIP, 17 for VXLAN.
  std::uint16_t udp_port = 0;  ///< Destination port, for UDP.
  /// Accepts the node addresses of the cluster table (cali40all-hosts-net, cali40all-vxlan-net).
  bool members = true;
  std::vector<IpPrefix> networks;  ///< Further accepted sources: externalNodesCIDRs. Sorted.

  auto operator<=>(const TunnelGuard&) const = default;
};

/// The connections that a node tracks.
enum class Tracking : std::uint8_t {
  /// None, because no rule needs them. Fragments pass one by one. With the other modes they are
  /// reassembled before any rule applies (nf_defrag_ipv4 and nf_defrag_ipv6 are loaded with the
  /// first such rule).
  Off,
  /// Connections that a rule translates, or would translate if their answers were requests. Other
  /// connections pass without an entry, almost without cost. Linux tracks all of them. Three
  /// consequences: nf_conntrack_max counts only the translated ones, a new rule also applies to
  /// running connections, and a node's own connection keeps its port even if a translated
  /// connection has the same one.
  Translated,
  /// All, like Linux.
  All,
};

/// The rules that Felix and Gardener program on a node, in both families: a closed set of rules,
/// not the iptables language. Lists are sorted. All nodes of a cluster share one filter.
struct PacketFilter {
  /// Tracked connections. Every node with Calico or kube-proxy tracks connections, because their
  /// rules match connection states. With Tracking::Off nothing is masqueraded.
  Tracking tracking = Tracking::Off;
  /// Masquerade packets from `masqueraded_sources` unless their destination is in
  /// `unmasqueraded_destinations` (Felix's cali-nat-outgoing). The sources are the pools with
  /// natOutgoing (cali40masq-ipam-pools). The exceptions are all pools, disabled ones too
  /// (cali40all-ipam-pools; Gardener's no-snat-for-node-cidr is one), and the nodes' addresses if
  /// natOutgoingExclusions is IPPoolsAndHostIPs.
  std::vector<IpPrefix> masqueraded_sources;
  std::vector<IpPrefix> unmasqueraded_destinations;
  /// The iptables chain of the rule above.
  std::string_view masquerade_chain = "cali-nat-outgoing";
  /// The rule is in an eBPF program; only its text differs.
  bool masquerades_in_ebpf = false;
  /// Ports of the rule above for TCP and UDP (natPortRange); other protocols use any identifier.
  std::optional<PortRange> nat_ports;
  /// Masquerade packets to these destinations: the nameservers of resolv.conf (snatToUpstreamDNS).
  std::vector<IpPrefix> masqueraded_destinations;
  /// Masquerade packets that leave through one of these tunnel devices with a source that is an
  /// address of the node and not of the device (a host process or a NodePort towards a pod).
  std::vector<DeviceName> tunnel_devices;
  /// Ports are chosen at random (--random-fully), as Felix does if the kernel supports it.
  bool random_fully = true;

  /// Destination ports of UDP packets that are not tracked if the node itself sends or receives
  /// them (NOTRACK in raw PREROUTING and OUTPUT): VXLAN.
  std::vector<std::uint16_t> untracked_udp_ports;
  /// Guards, one for each protocol and port. Packets of other tunnels are not inspected.
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
  bool source_is_local = false;  ///< Some device of the node has the source address.
};

/// The rule that masquerades a packet.
struct MasqueradeRule {
  enum class By : std::uint8_t {
    Destination,   ///< PacketFilter::masqueraded_destinations.
    Source,        ///< PacketFilter::masqueraded_sources.
    TunnelDevice,  ///< PacketFilter::tunnel_devices.
    Mark,          ///< kube-proxy's rule for its mark, behind the filter's rules.
  };
  By by = By::Source;
  IpPrefix destination;       ///< By Destination: the entry.
  std::uint8_t protocol = 0;  ///< By Source: the protocol of the packet.
  DeviceName device;          ///< By TunnelDevice: the device.

  auto operator<=>(const MasqueradeRule&) const = default;
};
struct Masquerade {
  MasqueradeRule rule;
  SourceTranslation translation;
};

/// Returns the translation of a connection that opens with this packet: its source becomes the
/// device's address. Returns nothing if no rule applies, or if the device has no address of its
/// family.
std::optional<Masquerade> masquerade(const PacketFilter& filter, const Leaving& packet);

/// Returns all masquerade rules of the filter in their order; one for each protocol that a rule
/// treats differently.
std::vector<MasqueradeRule> masquerade_rules(const PacketFilter& filter);

/// Returns the rule's line in to_string(); empty for kube-proxy's rule.
std::string masquerade_line(const PacketFilter& filter, const MasqueradeRule& rule);

/// Returns whether NOTRACK applies to a packet that the node itself sends or receives.
bool is_untracked(const PacketFilter& filter, std::uint8_t protocol,
                  std::uint16_t destination_port);

/// Returns the two lines of a port in to_string(): for received and for sent packets.
std::vector<std::string> untracked_lines(std::uint16_t udp_port);

/// Returns the guard of packets to the node itself; null if there is none.
const TunnelGuard* find_guard(const PacketFilter& filter, std::uint8_t protocol,
                              std::uint16_t destination_port);

/// Returns whether the guard admits a packet from `source`. `is_member`: a node of the cluster has
/// that address.
bool admits(const TunnelGuard& guard, IpAddress source, bool is_member);

/// Returns the guard's two lines in to_string(): the accepted sources, and the drop of all others.
std::vector<std::string> guard_lines(const TunnelGuard& guard);

/// Returns the packet filter as `iptables -S` of each table prints it, with the sets in braces.
/// IPv6 rules are among the others.
std::string to_string(const PacketFilter& filter);

}  // namespace overlane::node
