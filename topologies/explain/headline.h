#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/effective/effective_dataplane.h"

// The one sentence about a network that matters most: whether its pods reach pods of other nodes,
// by which means and with packets of which size.
namespace overlane::explain {

/// Whether pods of a network reach pods of other nodes, in the network's primary IP family, by
/// everything that the derived state knows (effective::pod_reach): the first line of an explanation
/// in text, and `reachability{…}` in JSON, so that neither says less than the other.
struct Headline {
  /// "all-nodes", "own-subnet", "no-other-node"; "unknown" for a network type that is not modelled.
  std::string_view pods;
  /// "overlay", "routed" or "wireguard"; empty if pods reach no other node.
  std::string_view mode;
  /// Bytes of IP that a pod sends at most, and that fit the link with the tunnel's headers; 0 if
  /// pods reach no other node.
  std::uint32_t largest_packet = 0;
  std::uint32_t largest_on_link = 0;
  /// On more nodes some are not reached, since the route table is full. Nothing: the workers stay
  /// below, or no quota is known.
  std::optional<std::int64_t> most_nodes;
  std::string reason;     ///< Why pods do not reach all nodes; empty if they do.
  std::string condition;  ///< "if provider ironcore writes routes …"; empty: without one.
  std::string statement;  ///< All of it in a sentence, without a full stop.
};

Headline headline_of(const effective::EffectiveDataplane& network);

}  // namespace overlane::explain
