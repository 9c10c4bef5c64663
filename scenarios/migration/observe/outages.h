#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "scenarios/migration/observe/intervals.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {

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

}  // namespace overlane::migration
