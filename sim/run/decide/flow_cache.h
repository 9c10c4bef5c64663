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
#include "sim/run/decide/states.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// A decision of forward() on a node or in the fabric that depends only on state and header, cached
/// for the flow's next packets.
struct CachedDecision {
  std::uint32_t version = 0;  ///< Decider's version when cached; valid while equal.
  std::uint16_t longest = 0;  ///< For packets of up to so many bytes.
  std::int16_t growth = 0;    ///< Bytes that the packet is longer afterwards.
  std::uint32_t to = 0;       ///< Fabric: the instance that gets it … Node: the MTU that limits
                              ///< WireGuard's padding.
  std::uint16_t core = 0;     ///< … and the core that its NIC picks. Node: where the outer header
                              ///< gets its number, IdentificationCounters::bucket().
  forward::Egress egress : 2 = forward::Egress::Uplink;
  bool local : 1 = false;                 ///< From a socket of the node to another.
  bool draws_identification : 1 = false;  ///< The outer IPv4 header gets the next one.
  bool shows_ports : 1 = true;            ///< Fabric: it can distinguish flows between two nodes.
  std::uint8_t repeats : 2 = 0;           ///< Node: connections that it counts the packet for.
  bool seals : 1 = false;                 ///< Node: through WireGuard, in or out.
  cost::PathId cost = 0;                  ///< Node: of its work. Fabric: the spine.

  bool operator==(const CachedDecision&) const = default;
};

/// The cached decisions for the packets of one end, hop by hop: one cache line. Cached decisions do
/// not change: when one turns out differently, the end gets a new entry.
struct alignas(64) FlowCacheEntry {
  /// The sender's node, the fabric, the receiver's node. Further hops are decided for each packet.
  static constexpr std::size_t kMaxHops = 3;

  EndpointId end = 0;
  std::uint32_t in_flight = 0;     ///< Packets that are on it.
  std::uint16_t settled_with = 0;  ///< End::peer_version that its receiver has it checked for.
  bool used = false;               ///< Since eviction last visited it.
  std::uint8_t known = 0;          ///< Hops.
  bool current = false;            ///< The next packet of its end takes it, or of its original's.
  bool carried = false;            ///< The partition that its packets go to has a copy.
  FabricVersions::Key fabric_destination = 0;  ///< Destination of the fabric's decision.
  std::array<CachedDecision, kMaxHops> hops;
};
static_assert(sizeof(FlowCacheEntry) == 64);

/// `packet` without what differs between the packets of a flow that look alike: lengths,
/// identifications, padding.
forward::Packet shape_of(forward::Packet packet);

/// The headers of an entry's packets, in front of each hop and behind the last. Lengths and
/// identifications are those of one packet. Headers that differ in their TTLs alone are kept once.
class FlowCacheHeaders {
 public:
  /// Adds the header behind the last hop, and where it is sent on the link.
  void add(const forward::Packet& packet, IpAddress next_hop);
  /// Forgets those behind hop `stage`.
  void cut_behind(std::size_t stage) { count_ = static_cast<std::uint8_t>(stage + 1); }

  forward::Packet operator[](std::size_t stage) const {
    forward::Packet packet = without_ttls(stage);
    packet.inner.ttl = stages_[stage].ttl;
    packet.outer.ttl = stages_[stage].outer_ttl;
    return packet;
  }
  /// The header after `stage` decisions, with TTL 0.
  const forward::Packet& without_ttls(std::size_t stage) const {
    return packets_[stages_[stage].packet];
  }
  IpAddress next_hop(std::size_t stage) const { return next_hops_[stage]; }

 private:
  struct Stage {
    std::uint8_t packet = 0;  ///< Which of packets_.
    std::uint8_t ttl = 0;
    std::uint8_t outer_ttl = 0;
  };
  static constexpr std::size_t kMax = FlowCacheEntry::kMaxHops + 1;

  std::vector<forward::Packet> packets_;
  std::array<IpAddress, kMax> next_hops_;
  std::array<Stage, kMax> stages_;
  std::uint8_t count_ = 0;
};

/// A cache entry on its way to another partition, up to the hop that comes next.
struct FlowCacheCopy {
  EndpointId end = 0;
  std::uint8_t known = 0;
  std::array<CachedDecision, FlowCacheEntry::kMaxHops> hops;
  FlowCacheHeaders headers;
};

/// The cache entries of all ends, at most kMaxEntries: beyond that, entries without packets in
/// flight that were not used recently are evicted. Of the ends of other partitions there are copies
/// of the entries whose packets come here, one for each of the original's places.
class FlowCache {
 public:
  static constexpr std::size_t kMaxEntries = 1 << 17;

  explicit FlowCache(std::size_t ends) : of_end_(ends, kNone) {}

  FlowCacheEntry& operator[](CacheEntryId id) { return flow_cache_[id]; }
  const FlowCacheEntry& operator[](CacheEntryId id) const { return flow_cache_[id]; }
  FlowCacheHeaders& headers(CacheEntryId id) { return headers_[id]; }
  const FlowCacheHeaders& headers(CacheEntryId id) const { return headers_[id]; }
  /// The connections that a hop counts packets for.
  std::span<const node::ConntrackTable::Repeat> repeats(CacheEntryId id, std::size_t stage) const {
    if (flow_cache_[id].hops[stage].repeats == 0) return {};
    return {repeats_[id].of_node[stage / 2].data(),
            std::size_t{flow_cache_[id].hops[stage].repeats}};
  }
  /// To be kept for a hop of a node: at most ConntrackTable::kMaxFollowed.
  void set_repeats(CacheEntryId id, std::size_t stage,
                   std::span<const node::ConntrackTable::Repeat> repeats) {
    if (repeats.empty()) return;
    if (repeats_.size() < flow_cache_.size()) repeats_.resize(flow_cache_.size());
    std::ranges::copy(repeats, repeats_[id].of_node[stage / 2].begin());
  }

  /// The entry for the end's next packet, or kNone.
  CacheEntryId of(EndpointId end) const { return of_end_[end]; }
  /// Prefetches it, if there is one.
  [[gnu::always_inline]] bool prefetch(EndpointId end) const {
    if (end >= of_end_.size() || of_end_[end] == kNone) return false;
    prefetch(of_end_[end], 0);
    return true;
  }
  /// Prefetches a packet's entry, with the connections that its next decision counts it for.
  [[gnu::always_inline]] void prefetch(CacheEntryId id, std::size_t stage) const {
    core::prefetch(&flow_cache_[id]);
    if (id < repeats_.size()) core::prefetch(&repeats_[id].of_node[stage / 2]);
  }
  /// A new one for an end that has none, whose packets begin as `header`; kNone when there is no
  /// room.
  CacheEntryId begin(EndpointId end, const forward::Packet& header);
  /// A copy of `id` up to hop `stage`; it becomes the end's entry, unless the end's packets start
  /// with another header by now. A packet of `id` must be in flight.
  CacheEntryId branch(CacheEntryId id, std::size_t stage);
  /// The end's packets will start with another header. An unknown end has no entry.
  void forget(EndpointId end);

  void enter(CacheEntryId id) {
    ++flow_cache_[id].in_flight;
    flow_cache_[id].used = true;
  }
  void leave(CacheEntryId id) {
    FlowCacheEntry& cache_entry = flow_cache_[id];
    if (--cache_entry.in_flight == 0 && !cache_entry.current) free_.push_back(id);
  }

  /// What another partition is to know of an entry whose packets go there from hop `stage` on.
  FlowCacheCopy carry(CacheEntryId id, std::size_t stage);
  /// Takes over what another partition has at `original`, in place of what it had there before.
  void take_over(std::uint32_t partition, CacheEntryId original, FlowCacheCopy copy);
  /// The copy of what it has there; kNone when there is none.
  CacheEntryId copy_of(std::uint32_t partition, CacheEntryId original) const {
    if (partition >= copies_.size() || original >= copies_[partition].size()) return kNone;
    return copies_[partition][original];
  }

 private:
  /// The connections that count the packets on the sender's and on the receiver's node: a cache
  /// line each.
  struct alignas(64) Repeats {
    std::array<std::array<node::ConntrackTable::Repeat, node::ConntrackTable::kMaxFollowed>, 2>
        of_node;
  };
  /// What an entry is a copy of.
  struct Original {
    std::uint32_t partition = kNone;
    CacheEntryId entry = kNone;
  };
  CacheEntryId allocate();
  CacheEntryId add();
  bool make_room();
  CacheEntryId& place_of(CacheEntryId id);
  void retire(CacheEntryId id);

  std::vector<CacheEntryId> of_end_;
  std::vector<FlowCacheEntry> flow_cache_;
  std::vector<FlowCacheHeaders> headers_;
  std::vector<Repeats> repeats_;     ///< By entry; empty if no entry has any.
  std::vector<Original> originals_;  ///< By entry; the default for entries that are no copies.
  /// By partition and its entry: the copy here. Empty if there is one partition.
  std::vector<std::vector<CacheEntryId>> copies_;
  std::vector<CacheEntryId> free_;
  std::size_t hand_ = 0;  ///< The clock's hand: where the search for a victim continues.
};

}  // namespace overlane::run
