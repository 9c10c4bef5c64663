#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/runtime/conntrack.h"
#include "sim/core/prefetch.h"
#include "sim/cost/path_cost.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// What a node or the fabric does with the packets of one flow that look alike: a decision of
/// forward() that took nothing but the state and the header, kept for the next packet.
struct CachedDecision {
  std::uint32_t version = 0;  ///< Of whoever decided: it holds while that has this version.
  std::uint16_t longest = 0;  ///< For packets of up to so many bytes.
  std::int16_t growth = 0;    ///< Bytes that the packet is longer afterwards.
  std::uint32_t to = 0;       ///< Fabric: the instance that gets it … Node: the MTU that limits
                              ///< WireGuard's padding.
  std::uint16_t core = 0;     ///< … and the core that its NIC picks. Node: where the outer header
                              ///< gets its number, IdentificationCounters::bucket().
  forward::Egress egress : 2 = forward::Egress::Uplink;
  bool local : 1 = false;                 ///< From a socket of the node to another.
  bool draws_identification : 1 = false;  ///< The outer IPv4 header gets the next one.
  bool shows_ports : 1 = true;            ///< Fabric: it tells flows between two nodes apart.
  std::uint8_t repeats : 2 = 0;           ///< Node: connections that it counts the packet for.
  bool seals : 1 = false;                 ///< Node: through WireGuard, in or out.
  cost::PathId cost = 0;                  ///< Node: of its work. Fabric: the spine.

  bool operator==(const CachedDecision&) const = default;
};

/// The way that the packets of one end take, as far as it is known: one cache line. What is known
/// does not change: where a decision turns out differently, another trail begins, which is the
/// end's from then on.
struct alignas(64) FlowCacheEntry {
  /// The sender's node, the fabric, the receiver's node. What goes on from there has its packets
  /// decided one by one.
  static constexpr std::size_t kMostHops = 3;

  EndId end = 0;
  std::uint32_t in_flight = 0;     ///< Packets that are on it.
  std::uint16_t settled_with = 0;  ///< End::peer_version that its receiver has it checked for.
  bool used = false;               ///< Since it was last looked at for making room.
  std::uint8_t known = 0;          ///< Hops.
  std::array<CachedDecision, kMostHops> hops;
};
static_assert(sizeof(FlowCacheEntry) == 64);

/// What a trail's packets look like.
struct FlowCacheHeaders {
  /// In front of each hop, and behind the last. Lengths and identifications are those of one
  /// packet.
  std::vector<forward::Packet> packets;
  std::vector<IpAddress> next_hops;  ///< Of the same: where it is sent on the link.
  std::uint32_t epoch = 0;  ///< How often the end's trail had been forgotten when it began.
};

/// The trails of all ends. At most kMostTrails: beyond that, those make room on which there is no
/// packet and was none for a while.
class FlowCache {
 public:
  static constexpr std::size_t kMostTrails = 1 << 17;

  explicit FlowCache(std::size_t ends) : of_end_(ends, kNone), epochs_(ends) {}

  FlowCacheEntry& operator[](TrailId id) { return flow_cache_[id]; }
  const FlowCacheEntry& operator[](TrailId id) const { return flow_cache_[id]; }
  FlowCacheHeaders& headers(TrailId id) { return headers_[id]; }
  const FlowCacheHeaders& headers(TrailId id) const { return headers_[id]; }
  /// The connections that a hop counts packets for.
  std::span<const node::ConntrackTable::Repeat> repeats(TrailId id, std::size_t stage) const {
    if (flow_cache_[id].hops[stage].repeats == 0) return {};
    return {repeats_[id].of_node[stage / 2].data(),
            std::size_t{flow_cache_[id].hops[stage].repeats}};
  }
  /// To be kept for a hop of a node: at most ConntrackTable::kMostFollowed.
  void set_repeats(TrailId id, std::size_t stage,
                   std::span<const node::ConntrackTable::Repeat> repeats) {
    if (repeats.empty()) return;
    if (repeats_.size() < flow_cache_.size()) repeats_.resize(flow_cache_.size());
    std::ranges::copy(repeats, repeats_[id].of_node[stage / 2].begin());
  }

  /// The trail for the end's next packet, or kNone.
  TrailId of(EndId end) const { return of_end_[end]; }
  [[gnu::always_inline]] void prefetch(EndId end) const {
    if (end < of_end_.size() && of_end_[end] != kNone) prefetch(of_end_[end], 0);
  }
  /// The same of a trail that a packet is on, with what is kept for that hop.
  [[gnu::always_inline]] void prefetch(TrailId id, std::size_t stage) const {
    core::prefetch(&flow_cache_[id]);
    if (id < repeats_.size()) core::prefetch(&repeats_[id].of_node[stage / 2]);
  }
  /// A new one for an end that has none, whose packets begin as `header`; kNone when there is no
  /// room.
  TrailId begin(EndId end, const forward::Packet& header);
  /// One that is as `id`, on which there is a packet, is up to hop `stage`; the end's from now on,
  /// unless its packets begin differently by now.
  TrailId branch(TrailId id, std::size_t stage);
  /// The end's packets will begin differently. An end that was not known has no trail.
  void forget(EndId end);

  void enter(TrailId id) {
    ++flow_cache_[id].in_flight;
    flow_cache_[id].used = true;
  }
  void leave(TrailId id) {
    FlowCacheEntry& cache_entry = flow_cache_[id];
    if (--cache_entry.in_flight == 0 && of_end_[cache_entry.end] != id) free_.push_back(id);
  }

 private:
  /// Of the sender's node and the receiver's: a cache line each.
  struct alignas(64) Repeats {
    std::array<std::array<node::ConntrackTable::Repeat, node::ConntrackTable::kMostFollowed>, 2>
        of_node;
  };
  TrailId allocate();
  bool make_room();

  std::vector<TrailId> of_end_;
  std::vector<std::uint32_t> epochs_;  ///< How often each was forgotten.
  std::vector<FlowCacheEntry> flow_cache_;
  std::vector<FlowCacheHeaders> headers_;
  std::vector<Repeats> repeats_;  ///< Of each trail, where there are any.
  std::vector<TrailId> free_;
  std::size_t hand_ = 0;  ///< Of the clock that looks for what makes room.
};

}  // namespace overlane::run
