#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {

// Outages of a simulated switch, from the changes of reachability to the figures of a report.
// OutageRecorder collects the intervals in which packets from the pods of one node do not reach the
// pods of another node. by_class() summarizes them by connection, and share_by_class() and
// share_by_node() by time, for charts. Times are simulated. An interval that has not ended when the
// simulation ends has no end.

/// A half-open time interval. `end` is kNever if it never ends.
struct Interval {
  Picos begin;
  Picos end;
};
using Intervals = std::vector<Interval>;
inline constexpr Picos kNever{INT64_MAX};

/// By node: the interval in which the node is present and runs pods. Empty if all nodes are always
/// present.
using Presence = std::vector<Interval>;
/// Returns true if there is a time at which both nodes are present.
inline bool coexist(const Presence& presence, std::uint32_t a, std::uint32_t b) {
  return presence.empty() || std::max(presence[a].begin, presence[b].begin) <
                                 std::min(presence[a].end, presence[b].end);
}

/// Returns the number of pairs of nodes, in no order, among outages or connections `between`, which
/// have the nodes `from` and `to`.
template <typename Between>
std::uint64_t count_node_pairs(const Between& between) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& one : between)
    pairs.insert(std::minmax(one.from, one.to));
  return pairs.size();
}

/// Sorts intervals by time and joins those that overlap or touch.
Intervals joined(Intervals intervals);
/// The intersection. Requires `a` and `b` to be joined.
Intervals in_both(const Intervals& a, const Intervals& b);
/// The union, joined.
Intervals in_either(Intervals a, const Intervals& b);

/// Length of the longest interval that ends; zero if none does.
Picos longest_of(const Intervals& intervals);
/// True if one of the joined intervals never ends.
inline bool last_forever(const Intervals& intervals) {
  return !intervals.empty() && intervals.back().end == kNever;
}

/// When an established TCP connection that always sends does so again after its packets began to be
/// lost: the loss probe and 15 retransmissions (tcp_retries2), each with its earliest and latest
/// time. The timeout doubles each time (RFC 6298), and each fires with a tick of the kernel's
/// timers.
std::vector<Interval> tcp_transmissions();

/// Returns how long an outage of this length stalls such a connection, at most: until the first of
/// these transmissions after the outage. Nothing if the connection fails before that.
std::optional<Picos> tcp_stall(Picos outage);

/// The longest time in which nothing of an established TCP connection arrives that always sends, at
/// least and at most.
struct TcpPause {
  Picos min;
  Picos max;
};

/// Returns the longest pause of such a connection until `end`. `forward` are the outages of its
/// data, `back` those of the acknowledgements, both joined.
///
/// The data pause at least as long as they cannot arrive. From the first lost packet of either
/// direction on, the connection pauses at most until the first of tcp_transmissions() whose whole
/// time is in no outage. Retransmissions can be earlier: an ICMP error about an unreachable host
/// takes back one doubling of the timeout (RFC 6069).
TcpPause tcp_pause(const Intervals& forward, const Intervals& back, Picos end);

/// A time in which packets from the pods of one node do not reach the pods of another node.
struct Outage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Picos begin;
  std::optional<Picos> end;  ///< Empty: the outage never ends.
  Drop reason{};             ///< Drop reason at the begin.
  Drop last_reason{};        ///< Drop reason at the end, or at the end of the simulation.
};

/// Records the outages of one probe between all ordered pairs of nodes while a world changes.
class OutageRecorder {
 public:
  /// Pairs that are unreachable at the start have an outage from time 0 on. Pairs with an absent
  /// node have none; the last `joining` nodes are absent until they join. `counts` says which drop
  /// reasons are outages; null: all.
  OutageRecorder(const path::Reachability& reachability, std::uint32_t probe, std::uint32_t nodes,
                 std::uint32_t joining = 0, bool (*counts)(Drop) = nullptr);

  /// Records that a node is present. Call it after see() of the same time.
  void join(const path::Reachability& reachability, std::uint32_t node, Picos now);
  /// Records that a node is absent from now on, which ends its outages. Call it before see() of the
  /// same time.
  void leave(std::uint32_t node, Picos now);

  /// Records a change of the outcome of this recorder's probe.
  void see(const path::PairChange& change, Picos now);

  /// Returns the outages by sender, receiver and time, without those of zero length.
  std::vector<Outage> take();

 private:
  bool is_outage(const path::PairOutcome& outcome) const {
    return outcome.drop && (counts_ == nullptr || counts_(*outcome.drop));
  }
  void begin(std::uint32_t from, std::uint32_t to, Drop reason, Picos now);
  void end(std::uint32_t from, std::uint32_t to, Picos now);

  std::uint32_t probe_;
  std::uint32_t nodes_;
  std::vector<bool> absent_;
  bool (*counts_)(Drop);
  std::vector<Outage> outages_;
  /// For each pair, 1 + the index of its outage that has not ended; 0: none.
  std::vector<std::uint32_t> open_;
};

/// The placement of the two nodes of a connection.
enum class PairClass : std::uint8_t { WithinZone, AcrossZones };
std::string_view to_string(PairClass which);
/// The class of two nodes; `zones` has the zone of each node.
PairClass class_of(const std::vector<std::uint32_t>& zones, std::uint32_t a, std::uint32_t b);
/// The number of pairs of nodes of each class that coexist, in the order of PairClass.
std::array<std::uint64_t, 2> pairs_by_class(const std::vector<std::uint32_t>& zones,
                                            const Presence& presence = {});

/// The outages of the connections of one class. A connection needs both directions.
struct ClassOutages {
  PairClass which{};
  std::uint64_t connections = 0;  ///< Pairs of nodes.
  std::uint64_t affected = 0;     ///< Connections with any outage.
  std::uint64_t lasting = 0;      ///< Connections with an outage that never ends.
  Picos longest;                  ///< Longest outage that ends.
  Picos median;                   ///< Median of the affected connections' longest outages.
  std::optional<Picos> first_begin;
  std::optional<Picos> last_end;
  /// Reasons of outages, the most frequent first.
  std::vector<std::pair<Drop, std::uint64_t>> reasons;
  std::optional<Drop> lasting_reason;  ///< Last reason of an outage that never ends.
};

/// Summarizes the outages by class. A class without connections is left out.
std::vector<ClassOutages> by_class(const std::vector<Outage>& outages,
                                   const std::vector<std::uint32_t>& zones,
                                   const Presence& presence = {});

/// Columns of equal length.
struct TimeColumns {
  Picos begin;   ///< Begin of the first column.
  Picos column;  ///< Length of each column.
  std::uint32_t count = 0;

  Picos end() const { return begin + column * count; }
};
/// Returns `count` columns (at least 1) from `begin` to `end` or a little later.
TimeColumns columns_between(Picos begin, Picos end, std::uint32_t count);
/// Returns columns from the first outage to the last begin or end of one, plus a tenth more if an
/// outage never ends. Requires at least one outage.
TimeColumns time_columns(const std::vector<Outage>& outages, std::uint32_t count);

/// The largest share of a set of ordered pairs of nodes that is interrupted within each column, in
/// millionths.
using InterruptedShare = std::vector<std::uint32_t>;

/// Returns the share of the coexisting pairs of each class that has such pairs.
std::vector<std::pair<PairClass, InterruptedShare>> share_by_class(
    const std::vector<Outage>& outages, const std::vector<std::uint32_t>& zones,
    const TimeColumns& columns, const Presence& presence = {});

/// Returns, for each node, the share of the pairs with this node, in both directions.
std::vector<InterruptedShare> share_by_node(const std::vector<Outage>& outages, std::uint32_t nodes,
                                            const TimeColumns& columns);

}  // namespace overlane::migration
