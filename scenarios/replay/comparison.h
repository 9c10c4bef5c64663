#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/migration/simulate.h"
#include "scenarios/replay/observation.h"

namespace overlane::replay {

// An observed switch beside its prediction. A replay follows the prediction's seed, so that each
// pair of nodes is compared (compare()). The agents of a real shoot are replaced in another order
// at other times, so that only figures over all pairs are compared, with the range of these figures
// over many seeds (compare_figures()).

/// The interruptions of one pair of nodes within the observed time.
struct Interrupted {
  Picos total;
  Picos longest;
  bool lasts = false;  ///< The last interruption has not ended.
};

/// The traffic from one node to another, predicted and observed.
struct ComparedPair {
  Traffic traffic{};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Interrupted predicted;
  Interrupted observed;

  /// The larger difference of the two durations.
  Picos off_by() const;
  /// Whether both end or both last, and their durations differ by at most 200 ms or 10 % of the
  /// predicted ones, whichever is more.
  bool agrees() const;
};

/// A TCP connection during the switch. Of all connections, it is compared whether they end; of
/// streams also how long they pause. How long a request waits is not: the request and its response
/// meet the interruptions of two directions, each at times that depend on the other's
/// retransmissions.
struct ComparedConnection {
  ConnectionRecord observed;
  /// One direction is interrupted without end, or the node of the NodePort ends the connection.
  bool is_predicted_to_end = false;
  std::optional<migration::TcpPause> pause;  ///< Predicted, of a stream.
  /// The pauses of a stream that follow from outages within the tolerance of those of pairs. A
  /// little more of an outage can mean the next retransmission, which comes twice as late.
  std::optional<migration::TcpPause> explained;

  bool agrees() const;
};

struct Comparison {
  /// All ordered pairs, by kind of traffic; of DNS, those with a CoreDNS pod on the second node.
  std::vector<ComparedPair> pairs;
  std::vector<ComparedConnection> connections;

  std::size_t agreeing() const;
  std::size_t agreeing_connections() const;
  /// Whether at least 95 % of the pairs and of the connections agree.
  bool agrees() const;
};

/// The predicted outages of one kind of traffic. Requests by a NodePort of a node are interrupted
/// like the node's own, DNS queries as in migration::dns_outages().
std::vector<migration::Outage> outages_of(const migration::SwitchResult& predicted,
                                          Traffic traffic);

/// Compares each pair. The observation must be that of a replay of this plan.
Comparison compare(const migration::SwitchResult& predicted, const Observation& observation);

/// Figures over all pairs of one kind of traffic.
struct Figures {
  std::uint64_t interrupted = 0;  ///< Ordered pairs with an interruption.
  std::uint64_t lasting = 0;      ///< Ordered pairs with an interruption that does not end.
  Picos longest;                  ///< The longest interruption that ends.
  Picos median;                   ///< Median of the interrupted pairs' longest interruptions.
};

/// The figures of an observation beside the smallest and the largest of several seeds.
struct ComparedFigures {
  Traffic traffic{};
  Figures observed;
  Figures min, max;

  /// Whether every figure is in its range, which may be missed by 200 ms or 10 %.
  bool agrees() const;
};

/// Compares the figures of all observed kinds of traffic with those of `predicted`, one result per
/// seed, and at least one.
std::vector<ComparedFigures> compare_figures(const std::vector<migration::SwitchResult>& predicted,
                                             const Observation& observation);

/// The interruptions of one kind of traffic as outages, for charts.
std::vector<migration::Outage> as_outages(const Observation& observation, Traffic traffic);

}  // namespace overlane::replay
