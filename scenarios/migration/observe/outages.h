#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {

/// A time. An end of kNever: it is never over.
struct Interval {
  Picos begin;
  Picos end;
};
using Intervals = std::vector<Interval>;
inline constexpr Picos kNever{INT64_MAX};

/// When each node is there and runs pods; empty: all do all the time.
using Presence = std::vector<Interval>;
/// Whether both nodes are there at one time.
inline bool coexist(const Presence& presence, std::uint32_t a, std::uint32_t b) {
  return presence.empty() || std::max(presence[a].begin, presence[b].begin) <
                                 std::min(presence[a].end, presence[b].end);
}

/// Sorts them by time and makes one of those that overlap or touch.
Intervals joined(Intervals intervals);
/// The times that both have; each is joined.
Intervals in_both(const Intervals& a, const Intervals& b);
/// The times that one of them has.
Intervals in_either(Intervals a, const Intervals& b);

/// The longest of those that are over; zero if there is none.
Picos longest_of(const Intervals& intervals);
/// Of joined ones: whether one is never over.
inline bool last_forever(const Intervals& intervals) {
  return !intervals.empty() && intervals.back().end == kNever;
}

/// How long an established TCP connection that sends all the time stands still because of an outage
/// of this length: until its first retransmission afterwards, as the timeout doubles each time
/// (RFC 6298). Nothing: it has given up before (tcp_retries2, 15 retransmissions).
std::optional<Picos> tcp_stall(Picos outage);

/// A time during which packets of one node's pods do not reach another's.
struct Outage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Picos begin;
  std::optional<Picos> end;  ///< Empty: it is never over.
  Drop reason{};             ///< At its beginning.
  Drop last_reason{};        ///< At its end, or when nothing happens any more.
};

/// Notes the outages of one probe between all ordered pairs of nodes while a world changes.
class OutageRecorder {
 public:
  /// Pairs that are not reached at the beginning have their outage from time 0 on; those with a
  /// node that is absent have none. The last `joining` nodes are, until they join.
  /// `counts`: which drops are outages; null: all.
  OutageRecorder(const path::Reachability& reachability, std::uint32_t probe, std::uint32_t nodes,
                 std::uint32_t joining = 0, bool (*counts)(Drop) = nullptr);

  /// A node is there. After see() of the same time.
  void join(const path::Reachability& reachability, std::uint32_t node, Picos now);
  /// A node is absent from now on: its outages are over. Before see() of the same time.
  void leave(std::uint32_t node, Picos now);

  /// A change of this recorder's probe.
  void see(const path::PairChange& change, Picos now);

  /// By sender, receiver and time; without those of no length.
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
  std::vector<std::uint32_t> open_;  ///< Of each pair: the number of its outage above zero, or 0.
};

/// Where the two nodes of a connection are.
enum class PairClass : std::uint8_t { WithinZone, AcrossZones };
std::string_view to_string(PairClass which);
/// Of two nodes; `zones` has the zone of each node.
PairClass class_of(const std::vector<std::uint32_t>& zones, std::uint32_t a, std::uint32_t b);
/// The number of pairs of nodes of each class that coexist, in the order of PairClass.
std::array<std::uint64_t, 2> pairs_by_class(const std::vector<std::uint32_t>& zones,
                                            const Presence& presence = {});

/// The outages of the connections of one class. A connection needs both directions.
struct ClassOutages {
  PairClass which{};
  std::uint64_t connections = 0;  ///< Pairs of nodes.
  std::uint64_t affected = 0;     ///< With any outage.
  std::uint64_t lasting = 0;      ///< With one that is never over.
  Picos longest;                  ///< Of the outages that are over.
  Picos median;                   ///< Over the affected connections, of their longest.
  std::optional<Picos> first_begin;
  std::optional<Picos> last_end;
  std::vector<std::pair<Drop, std::uint64_t>> reasons;  ///< Of outages, the most frequent first.
  std::optional<Drop> lasting_reason;  ///< The last one of an outage that is never over.
};

/// Both classes. One without connections is left out.
std::vector<ClassOutages> by_class(const std::vector<Outage>& outages,
                                   const std::vector<std::uint32_t>& zones,
                                   const Presence& presence = {});

/// Columns of equal length.
struct TimeColumns {
  Picos begin;   ///< Of the first column.
  Picos column;  ///< The length of each.
  std::uint32_t count = 0;

  Picos end() const { return begin + column * count; }
};
/// So many columns, at least 1, from `begin` to `end` or a little later.
TimeColumns columns_between(Picos begin, Picos end, std::uint32_t count);
/// From the first outage to the end of the last; outages that are never over last to the end of a
/// tenth more. There is an outage.
TimeColumns time_columns(const std::vector<Outage>& outages, std::uint32_t count);

/// Of some ordered pairs of nodes, the largest share that is interrupted within each column, in
/// millionths.
using InterruptedShare = std::vector<std::uint32_t>;

/// Of the pairs of each class that coexist, where there are any.
std::vector<std::pair<PairClass, InterruptedShare>> share_by_class(
    const std::vector<Outage>& outages, const std::vector<std::uint32_t>& zones,
    const TimeColumns& columns, const Presence& presence = {});

/// Of the pairs of each node, in both directions.
std::vector<InterruptedShare> share_by_node(const std::vector<Outage>& outages, std::uint32_t nodes,
                                            const TimeColumns& columns);

}  // namespace overlane::migration
