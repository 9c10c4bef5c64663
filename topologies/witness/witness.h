#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/overlap/report/report.h"
#include "topologies/path/trace.h"

// A witness is one packet that shows the effect of an overlap: its sender, its intended receiver
// and its actual receiver. Both shoots are compiled to node and fabric states (topologies/compile)
// and put into one network, with routes as the provider's route controllers write them;
// topologies/path then traces packets through these states. The first packet that does not reach
// its receiver is the witness. It proves that a finding of the overlap rules follows from the
// model, and its absence reveals rules that do not. The program chooses the addresses of nodes and
// pods; `assumptions` lists them. The shoots of an `OverlapCase` must outlive the call; calls are
// independent of each other and may run on several threads.
namespace overlane::witness {

/// The relation between the networks of two shoots.
enum class NetworkJoin : std::uint8_t {
  /// One route table, with one entry per destination: a GCP network, a Neutron router, Alibaba
  /// Cloud's system table, a route table that users share between shoots.
  OneRouteTable,
  OneNetwork,  ///< One VPC or vnet, with separate route tables per shoot.
  Connected,   ///< Two networks, joined by a peering, a transit gateway or a VPN.
};

/// The kind of addresses in a range.
enum class Target : std::uint8_t { Pod, Node, Service, Outside };

std::string_view to_string(NetworkJoin network_relation);
std::string_view to_string(Target target);

/// Two ranges that overlap.
struct OverlapCase {
  const effective::EffectiveDataplane* a = nullptr;  ///< The sender's shoot. Required.
  /// Null if the other range belongs to no shoot (a host of the VPC, on-premises).
  const effective::EffectiveDataplane* b = nullptr;
  NetworkJoin network_relation = NetworkJoin::OneNetwork;
  Target a_side = Target::Pod;  ///< Pod, Node or Service.
  Target b_side = Target::Pod;  ///< Outside if `b` is null.
  /// The addresses in both ranges. If no range of a shoot contains them, the shoot keeps its
  /// addresses: the packet then shows that moving a shoot's range resolves the overlap.
  IpPrefix intersection;
  bool carries_pod_routes =
      false;  ///< The connection also has routes to pods; only for NetworkJoin::Connected.
  /// Names of the shoots in texts; empty: "namespace/name", which is ambiguous between landscapes.
  std::string a_name = {};
  std::string b_name = {};
};

/// One packet and its outcome.
struct Witness {
  std::string sender;  ///< "garden-a/one node-1/pod-0"
  IpAddress source;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP port.
  std::string meant;       ///< The intended receiver: "garden-a/one node-2/pod-0".
  std::string lands;       ///< The actual receiver: "garden-b/two node-2/pod-0", or "nowhere".
  std::optional<Drop> drop;
  bool wrong = false;   ///< Whether `meant` and `lands` differ.
  std::string because;  ///< The decision, with the entry of the state, in one line.
  std::vector<path::Hop> hops;
  std::vector<std::string> assumptions;  ///< Facts that are in no document, one sentence each.
};

/// Puts nodes and pods of both shoots into one network, as their manifests and the providers' route
/// controllers create it, with addresses in the intersection, and traces a few packets. Returns the
/// first one that does not reach its intended receiver; if all do, the first one. The sender
/// belongs to `a`, unless only `b` or a host of their network has such a packet.
///
/// Fails like graph::Topology::build() and compile::compile(), and with `unsupported-witness` if
/// the states are not modelled (an unknown network type, ranges without room for a pod CIDR).
Result<Witness> find_witness(const OverlapCase& overlap);

/// Text with sender, receivers, decision and assumptions.
std::string print(const Witness& witness);

/// JSON; its `hops[]` equal those of a TraceReport.
nlohmann::ordered_json encode(const Witness& witness);

// Adds witnesses to the overlaps of a report: translates each overlap into an OverlapCase and keeps
// the witness only if its outcome agrees with the severity of the overlap. A witness takes about a
// millisecond, so callers choose overlaps first.

/// The overlaps for which witnesses are sought: at most `most`, the first ones of each group.
std::vector<overlap::Overlap*> select_for_witness(overlap::OverlapReport& report, std::size_t most);

/// Sets the witnesses of overlaps whose shoots are in `shoots`, by name, and whose states are
/// modelled. An error or a warning gets a witness only if the packet does not reach its receiver.
void add_witnesses(const std::vector<overlap::Overlap*>& overlaps,
                   const std::map<std::string, effective::EffectiveDataplane>& shoots);

}  // namespace overlane::witness
