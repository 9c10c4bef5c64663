#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"

// The answer of `overlane migrate` to the question whether an operator can make this switch. A
// verdict is the worst over all steps of the strategy, node counts, plausible values of uncertain
// facts, and hazards. Impacts and outages that the operator accepts beforehand (`--accept`,
// `--max-outage`) do not lower the verdict.

namespace overlane::migration {

/// From best to worst, so that the worst of several verdicts is their maximum.
enum class MigrationVerdict : std::uint8_t {
  Go,            ///< Nothing is interrupted.
  GoWithImpact,  ///< Pods keep reaching pods; something else is interrupted.
  Outage,        ///< Pods of different nodes do not reach each other for a time.
  Unknown,       ///< A hazard may occur, and the input does not decide whether it does.
  NoGo,          ///< An outage never ends, or the switch does not complete.
};
std::string_view to_string(MigrationVerdict verdict);

/// An effect of a switch, other than outages between pods of different nodes, that the operator can
/// accept. `--accept` takes the name of each.
enum class Impact : std::uint8_t {
  Dns,
  UpstreamDns,
  NodePorts,
  FullSizeDatagrams,
  NodeNetwork,
  ApiServer,
  Ipv6,
  PodRestarts,
  IpamBlocks,
};

struct ImpactFacts {
  Impact impact{};
  std::string_view name;     ///< For `--accept` and JSON: "node-ports".
  std::string_view title;    ///< "connections by NodePorts".
  std::string_view meaning;  ///< The effect that an operator accepts.
};

inline constexpr std::array<ImpactFacts, 9> kImpacts{{
    {Impact::Dns, "dns", "cluster DNS (CoreDNS)", "queries to CoreDNS fail"},
    {Impact::UpstreamDns, "upstream-dns", "upstream DNS",
     "queries to the nodes' nameserver may fail"},
    {Impact::NodePorts, "node-ports", "connections by NodePorts",
     "established masqueraded connections to pods end"},
    {Impact::FullSizeDatagrams, "full-size-datagrams", "full-size datagrams",
     "datagrams with DF that fill the pods' MTU are lost"},
    {Impact::NodeNetwork, "node-network", "nodes' own network",
     "connections between nodes and pods of other nodes stop"},
    {Impact::ApiServer, "api-server", "API server", "webhooks, logs, exec and port-forward fail"},
    {Impact::Ipv6, "ipv6", "connections over IPv6", "connections over IPv6 end"},
    {Impact::PodRestarts, "pod-restarts", "pod restarts", "every pod is made again"},
    {Impact::IpamBlocks, "ipam-blocks", "blocks of calico-ipam",
     "pods may be unreachable until they are made again"},
}};
constexpr const ImpactFacts& facts(Impact impact) {
  return kImpacts[static_cast<std::size_t>(impact)];
}

/// The impacts that an operator accepts.
class AcceptedImpacts {
 public:
  void add(Impact impact) { set_.set(static_cast<std::size_t>(impact)); }
  bool contains(Impact impact) const { return set_.test(static_cast<std::size_t>(impact)); }
  bool empty() const { return set_.none(); }

 private:
  std::bitset<kImpacts.size()> set_;
};

/// Parses "dns,node-ports". The error names the unknown word and lists the known ones.
Result<AcceptedImpacts, std::string> parse_accepted(std::string_view text);

/// An impact of a strategy.
struct ImpactResult {
  Impact impact{};
  std::string what;                ///< "upstream DNS may fail for 38.8 s, at worst 2 min 54 s"
  bool accepted = false;           ///< With the assumed facts and durations.
  bool accepted_at_worst = false;  ///< Also if assumptions do not hold.
  std::string_view traffic;        ///< TrafficResult::name of the traffic that fails; may be empty.
  bool is_at_worst_only = false;   ///< An impact only if assumptions do not hold.
};

/// A fact that no document gives and on which the verdict depends.
struct Condition {
  std::string parameter;         ///< "openstack.ovn"
  std::string holds;             ///< The assumed value, as a clause: "the network does not use OVN"
  MigrationVerdict if_so{};      ///< The verdict if the assumed value holds.
  MigrationVerdict otherwise{};  ///< The verdict if it does not hold; differs from `if_so`.
  std::string otherwise_reason;  ///< The reason for `otherwise`.
  Picos otherwise_longest;       ///< Longest outage if it does not hold; kNever: one is never over.
  std::string check;             ///< What to inspect, in short: "`ip -4 address show` on a node".
  std::string command;           ///< The whole command that finds the value.
  std::string reading;           ///< How to read the output of `command`.
  /// The setting that records the assumed value: "landscape.openstack.ovn=false".
  std::string setting;
  /// The setting that records the other value, for a duration the worse end of its range:
  /// "landscape.openstack.ovn=true".
  std::string setting_otherwise;

  MigrationVerdict worst() const { return std::max(if_so, otherwise); }
};

}  // namespace overlane::migration
