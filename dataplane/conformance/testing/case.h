#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance::testing {

/// A packet on its way into node 1, or a while in which none comes.
struct Arrival {
  forward::Ingress ingress = forward::Ingress::Pod;
  forward::Packet packet;
  /// What really comes when a header lies, from the outermost IP header on; else the packet's.
  std::vector<std::uint8_t> bytes;
  /// The packet that a bare fragment is a part of, for its bytes.
  std::optional<forward::Packet> whole;
  std::string lie;      ///< Which, in a few words.
  bool counted = true;  ///< Whether a kernel counts the drop, where it counts any of its reason.
  std::optional<Picos> silence;  ///< Nothing comes for so long.
};

/// One row of the table that every executor runs: node 1 of a cluster, changed, is sent packets one
/// after the other; what it learns from one holds for the next.
struct Case {
  std::string sentence;
  node::testing::ClusterShape shape;
  std::function<void(node::NodeState&)> change;
  std::vector<Arrival> arrivals;
  /// One line per arrival, as describe() writes it.
  std::vector<std::string> expected;
  /// Why the kernel is not asked, or may do something else; empty when it must agree.
  std::string kernel_differs;
};

/// The node state of a row.
node::NodeState state_of(const Case& row);

/// An arrival's bytes on the wire of that node.
std::vector<std::uint8_t> bytes_of(const node::NodeState& state, const Arrival& arrival);

/// What the core makes of an arrival, from its descriptor or the bytes that really come, …
forward::Outcome core_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                              const Arrival& arrival, Picos now);
/// … and the byte path, in bytes.
reference::ByteOutcome byte_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                                    reference::HeldFragments& fragments, const Arrival& arrival,
                                    Picos now);

/// What became of one packet: "pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63", emissions joined by
/// " + ", a drop by its name behind "; ", or "nothing". Headers from the outermost on, " | "
/// between them; only what is not usual is said of TOS, DF and fragments.
std::string describe(const forward::Outcome& outcome);

/// All rows, in the order of the files that hold them.
std::vector<Case> all_cases();

std::vector<Case> routing_cases();
std::vector<Case> rp_filter_cases();
std::vector<Case> device_cases();
std::vector<Case> tunnel_cases();
std::vector<Case> mtu_cases();
std::vector<Case> ecn_cases();
std::vector<Case> ipv6_cases();
std::vector<Case> metadata_cases();
std::vector<Case> fragment_cases();
std::vector<Case> malformed_cases();
std::vector<Case> loop_cases();
std::vector<Case> masquerade_cases();
std::vector<Case> transit_cases();
std::vector<Case> transit_tunnel_cases();
std::vector<Case> timeout_cases();
std::vector<Case> local_cases();
std::vector<Case> option_cases();
std::vector<Case> wireguard_cases();
std::vector<Case> service_cases();

// What rows are made of.

using forward::Packet;
using node::NodeState;
using node::testing::ip;
using node::testing::net;
using node::testing::pod;
using node::testing::pod_v6;

inline const IpAddress kNode = ip("10.250.0.4");
inline const IpAddress kNodeV6 = ip("fd00:10:250::4");
/// Outside the cluster.
inline const IpAddress kServer = ip("192.0.2.10");
inline const IpAddress kServerV6 = ip("2001:db8::10");

inline const node::testing::ClusterShape kRouted{};
inline const node::testing::ClusterShape kIpip{.encapsulation = Encapsulation::Ipip};
inline const node::testing::ClusterShape kSit{.encapsulation = Encapsulation::Sit};
inline const node::testing::ClusterShape kIp6Tnl{.encapsulation = Encapsulation::Ip6Tnl,
                                                 .underlay = Family::Ipv6};
inline const node::testing::ClusterShape kVxlan{.encapsulation = Encapsulation::Vxlan};
inline const node::testing::ClusterShape kGeneve{.encapsulation = Encapsulation::Geneve};
inline const node::testing::ClusterShape kGeneveV6{.encapsulation = Encapsulation::Geneve,
                                                   .underlay = Family::Ipv6};
inline const node::testing::ClusterShape kWireguard{.encapsulation = Encapsulation::Wireguard};

void unchanged(NodeState& state);
/// Connections are tracked, by nobody translated.
void track(NodeState& state);
/// What leaves the pools for elsewhere is masqueraded, ports kept where they are free.
void masquerade(NodeState& state);
node::PacketFilter of_pools();
/// Gives the node other rules.
void use(NodeState& state, node::PacketFilter filter);
node::Device& device(NodeState& state, const char* name);

/// A UDP packet, by the family of its addresses.
using forward::testing::udp;
Packet df(Packet packet);
Packet ttl(std::uint8_t hops, Packet packet);
Packet tos(std::uint8_t value, Packet packet);

/// The packet as node 2 of that cluster sends it through its tunnel to node 1.
Packet tunnelled(const node::testing::ClusterShape& shape, Packet packet);

Arrival from_pod(Packet packet);
Arrival from_uplink(Packet packet);
/// With an identification of its own, which a kernel gives to packets without.
Arrival from_host(Packet packet);
Arrival nothing_for(Picos time);

}  // namespace overlane::conformance::testing
