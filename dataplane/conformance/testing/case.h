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

// The conformance suite: a table of cases that every executor must pass, so that all executors
// agree about Linux. A case changes the state of a node, sends packets to it and expects one line
// per packet. forward::forward, the byte path, the byte rewriting path and the ports on DPDK run
// all rows; a Linux kernel runs those without `kernel_differs`. The *_cases.cpp files hold the
// rows, by topic.

/// A packet that arrives at node 1, or a time without packets.
struct Arrival {
  forward::Ingress ingress = forward::Ingress::Pod;
  forward::Packet packet;
  /// The bytes that arrive if a header is wrong, from the outermost IP header on. If empty, those
  /// of `packet`.
  std::vector<std::uint8_t> bytes;
  /// For a fragment without tunnel headers, the packet that it is a part of; its bytes come from
  /// there.
  std::optional<forward::Packet> whole;
  std::string lie;      ///< The wrong field of `bytes`, in a few words.
  bool counted = true;  ///< Whether a kernel counts the drop, if it counts its drop reason at all.
  std::optional<Picos> silence;  ///< The time without packets; `packet` is ignored then.
};

/// One row of the table: node 1 of a cluster, after `change`, receives the arrivals one after the
/// other and keeps what it learns.
struct Case {
  std::string sentence;
  node::testing::ClusterShape shape;
  std::function<void(node::NodeState&)> change;
  std::vector<Arrival> arrivals;
  /// One line per arrival, as describe() writes it.
  std::vector<std::string> expected;
  /// The reason why a kernel does not run the row or may differ. Empty if it must agree.
  std::string kernel_differs;
};

/// The state of node 1 in a row, after its change.
node::NodeState state_of(const Case& row);

/// The bytes of an arrival as the node receives them.
std::vector<std::uint8_t> bytes_of(const node::NodeState& state, const Arrival& arrival);

/// The outcome of forward::forward for an arrival, from its descriptor or, if given, from its
/// bytes.
forward::Outcome core_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                              const Arrival& arrival, Picos now);
/// The outcome of the byte path for an arrival, in bytes.
reference::ByteOutcome byte_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                                    reference::HeldFragments& fragments, const Arrival& arrival,
                                    Picos now);

/// Describes an outcome in the notation of the cases: "pod 100.96.1.10 > 100.96.1.11 udp 100 ttl
/// 63". Emissions are joined by " + ", headers of one packet by " | ", the outermost first. A drop
/// is
/// "; " and its name. TOS, DF and fragment fields appear only if set. "nothing" is an empty
/// outcome.
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

// Addresses, cluster shapes, changes and packets that rows are made of.
using forward::Packet;
using node::NodeState;
using node::testing::ip;
using node::testing::net;
using node::testing::pod;
using node::testing::pod_v6;

inline const IpAddress kNode = ip("10.250.0.4");
inline const IpAddress kNodeV6 = ip("fd00:10:250::4");
/// Addresses outside the cluster.
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
/// Enables connection tracking without NAT.
void track(NodeState& state);
/// Masquerades packets that leave the IP pools, and keeps their ports if they are free.
void masquerade(NodeState& state);
/// The packet filter of masquerade().
node::PacketFilter of_pools();
/// Replaces the packet filter, with tracking of all connections and the old tunnel guards.
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
/// A packet of the node itself. It gets an identification if it has none, as a kernel would choose
/// one.
Arrival from_host(Packet packet);
Arrival nothing_for(Picos time);

}  // namespace overlane::conformance::testing
