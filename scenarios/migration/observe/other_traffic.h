#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/net/units.h"
#include "scenarios/migration/observe/intervals.h"
#include "scenarios/migration/observe/masqueraded.h"
#include "scenarios/migration/observe/outages.h"
#include "scenarios/migration/verdict/verdict.h"

namespace overlane::migration {

/// The outages between all nodes, by what is at their ends.
struct TrafficOutages {
  const std::vector<Outage>& pod_to_pod;   ///< A connection needs both directions.
  const std::vector<Outage>& node_to_pod;  ///< A request with its answer.
  const std::vector<Outage>& pod_to_node;  ///< The same.
  /// Times in which a node's pods reach a nameserver under their own addresses, which some refuse;
  /// `to` is the node as well.
  const std::vector<Outage>& unmasqueraded;
  const std::vector<Outage>& full_size;       ///< Of datagrams that are too big.
  const std::vector<EndedConnection>& ended;  ///< Through NodePorts.
};

/// The outages of one kind of traffic.
struct TrafficResult {
  std::string_view name;     ///< "node to pod"; static storage, as the next.
  std::string_view group;    ///< "nodes": what is alike follows one another.
  std::string_view meaning;  ///< Which clients and servers.
  Impact impact{};           ///< What an operator accepts with its outages.
  /// Whether it is interrupted depends on a server or a client that Overlane does not know.
  bool is_possible_only = false;
  std::uint64_t pairs = 0;     ///< Of clients' and servers' nodes; of DNS: clients' nodes.
  std::uint64_t affected = 0;  ///< With any outage.
  std::uint64_t lasting = 0;   ///< With one that is never over.
  Picos longest;               ///< Of the outages that are over.
  /// The affected ones are established connections that end; new ones fare as pods do.
  bool ends = false;
};

/// Node to pod and pod to node; pods' datagrams of full size; connections through NodePorts; DNS,
/// with CoreDNS's two pods on the first node and on the last one of those that are there at the
/// beginning; and what the API server reaches through vpn-shoot, which runs on the first node.
/// Those with a fixed node are left out where nodes leave, since their pods move.
std::vector<TrafficResult> other_traffic(const TrafficOutages& outages, const Presence& presence);

}  // namespace overlane::migration
