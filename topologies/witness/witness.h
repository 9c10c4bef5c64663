#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/result.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/path/trace.h"

namespace overlane::witness {

/// How the networks of two shoots meet.
enum class NetworkRelation : std::uint8_t {
  /// One list of routes, in which a destination stands once: a GCP network, a Neutron router,
  /// Alibaba Cloud's system table, a route table that users share between shoots.
  OneRouteTable,
  OneNetwork,  ///< One VPC or vnet, and a table of routes for each shoot's subnets.
  Connected,   ///< A network each, joined by a peering, a transit gateway, a VPN.
};

/// Whose addresses a range holds.
enum class Target : std::uint8_t { Pod, Node, Service, Outside };

std::string_view to_string(NetworkRelation meeting);
std::string_view to_string(Target target);

/// Two ranges that overlap.
struct Case {
  const effective::EffectiveDataplane* a = nullptr;  ///< Required: the sender's shoot.
  /// Null: the other range belongs to no shoot (a host of the VPC, on-premises).
  const effective::EffectiveDataplane* b = nullptr;
  NetworkRelation meeting = NetworkRelation::OneNetwork;
  Target a_side = Target::Pod;  ///< Pod, Node or Service.
  Target b_side = Target::Pod;  ///< Outside without `b`.
  /// Of a range of each side. A shoot none of whose ranges holds it keeps what it has: so the
  /// packet shows what moving a shoot's range would mend.
  IpPrefix intersection;
  bool carries_pod_routes = false;  ///< Of Connected: its routes lead to pods, too.
  /// What readers call the shoots; empty: "namespace/name", which two of several landscapes share.
  std::string a_name = {};
  std::string b_name = {};
};

/// One packet, and what becomes of it.
struct Witness {
  std::string sender;  ///< "garden-a/one node-1/pod-0"
  IpAddress source;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP.
  std::string meant;       ///< Whom the sender means: "garden-a/one node-2/pod-0".
  std::string lands;       ///< Where it ends: "garden-b/two node-2/pod-0", or "nowhere".
  std::optional<Drop> drop;
  bool wrong = false;   ///< It did not reach whom it was meant for.
  std::string because;  ///< The decision that sent it there, with the line of the state: one line.
  std::vector<path::Hop> hops;
  std::vector<std::string> assumptions;  ///< What the states had to be told; a sentence each.
};

/// Puts both shoots' nodes and pods into one network, as their manifests and the providers' route
/// controllers make it, so that their addresses meet in the intersection, and follows the packet
/// that the overlap hurts most: the first of a few that does not reach whom it is meant for, or,
/// when all of them do, the first one. The sender is of `a` unless only `b`, or a host of their
/// network, has such a packet.
///
/// Fails as graph::Topology::build() and compile::compile() do, and with `unsupported-witness`
/// when nobody here knows the states (a network type without rules, ranges that no pod CIDR fits
/// in).
Result<Witness> find_witness(const Case& overlap);

/// For people: who sends what to whom, where it ends and why, and what was assumed.
std::string print(const Witness& witness);

/// The members of a Witness by their names; `hops[]` as in a TraceReport.
nlohmann::ordered_json encode(const Witness& witness);

}  // namespace overlane::witness
