#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/runtime/conntrack.h"
#include "sim/core/prefetch.h"
#include "sim/cost/path_cost.h"
#include "sim/run/decide/states.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// A node's decision that depends only on state and header, cached for the flow's next packets.
struct CachedNodeDecision {
  std::uint32_t version = 0;      ///< The node's version when cached; valid while equal.
  std::uint16_t longest = 0;      ///< Valid for packets of at most this many bytes.
  std::int16_t growth = 0;        ///< Bytes that the node adds to the packet.
  std::uint32_t sealing_mtu = 0;  ///< The MTU that limits WireGuard's padding.
  /// IdentificationCounters::bucket() that numbers the outer header.
  std::uint16_t identification_bucket = 0;
  forward::Egress egress : 2 = forward::Egress::Uplink;
  bool local : 1 = false;                 ///< From a socket of the node to another.
  bool draws_identification : 1 = false;  ///< The outer IPv4 header gets the next identification.
  std::uint8_t repeats : 2 = 0;           ///< Number of connections for which it counts the packet.
  bool seals : 1 = false;                 ///< WireGuard encrypts or decrypts the packet.
  cost::PathId path = 0;                  ///< The packet's path through the node, for its cost.

  bool operator==(const CachedNodeDecision&) const = default;
};

/// The fabric's decision that depends only on state and header, cached like a node's.
struct CachedFabricDecision {
  std::uint32_t version = 0;  ///< The fabric's version for the destination; valid while equal.
  std::uint16_t longest = 0;  ///< Valid for packets of at most this many bytes.
  std::uint16_t core = 0;     ///< Core that the receiving NIC picks.
  std::uint32_t to = 0;       ///< Instance that receives the packet.
  bool shows_ports = true;    ///< The fabric can distinguish flows between two nodes.
  std::uint8_t spine = 0;     ///< Spine between racks; valid if there are racks.

  bool operator==(const CachedFabricDecision&) const = default;
};

/// Cached decisions about the packets of one endpoint, by stage: 0 is the sender's node, 1 the
/// fabric, 2 the receiver's node. Later stages are decided for each packet.
struct CachedDecisions {
  static constexpr std::size_t kStages = 3;
  static constexpr std::size_t kFabricStage = 1;

  std::array<CachedNodeDecision, 2> nodes;
  CachedFabricDecision fabric;

  CachedNodeDecision& node(std::size_t stage) { return nodes[stage / 2]; }
  const CachedNodeDecision& node(std::size_t stage) const { return nodes[stage / 2]; }
  std::uint32_t version(std::size_t stage) const {
    return stage == kFabricStage ? fabric.version : node(stage).version;
  }
  /// The decision of a stage, which must be of this type.
  template <typename Cached>
  Cached& at(std::size_t stage) {
    if constexpr (std::is_same_v<Cached, CachedFabricDecision>)
      return fabric;
    else
      return node(stage);
  }
};
static_assert(sizeof(CachedDecisions) == 48);

/// The cache entry for the packets of one endpoint: one cache line. Cached decisions are
/// confirmed under a new version or dropped: when one turns out differently, the endpoint gets a
/// new entry.
struct alignas(64) FlowCacheEntry {
  EndpointId end = 0;
  std::uint32_t in_flight = 0;     ///< Packets that use the entry.
  std::uint16_t settled_with = 0;  ///< Endpoint::peer_version for which the receiver checked it.
  bool used = false;               ///< Used since eviction last visited it.
  std::uint8_t known = 0;          ///< Stages with a cached decision.
  bool current = false;            ///< The endpoint's next packet uses it, or uses its original.
  bool carried = false;            ///< The partition that receives its packets has a copy.
  FabricVersions::Key fabric_destination = 0;  ///< Destination of the fabric's decision.
  CachedDecisions decisions;
};
static_assert(sizeof(FlowCacheEntry) == 64);

/// `packet` without the fields that differ between equal packets of a flow: lengths,
/// identifications, padding.
forward::Packet shape_of(forward::Packet packet);

/// The headers of an entry's packets before each stage and after the last. Lengths and
/// identifications are those of one packet. Headers that differ in their TTLs only are stored once.
class FlowCacheHeaders {
 public:
  /// Adds the header after the last stage, and the next hop on the link.
  void add(const forward::Packet& packet, IpAddress next_hop);
  /// Forgets the headers after `stage` decisions.
  void cut_behind(std::size_t stage) { count_ = static_cast<std::uint8_t>(stage + 1); }

  forward::Packet operator[](std::size_t stage) const {
    forward::Packet packet = without_ttls(stage);
    packet.inner.ttl = stages_[stage].ttl;
    packet.outer.ttl = stages_[stage].outer_ttl;
    return packet;
  }
  /// The header after `stage` decisions, with the TTLs of any stage.
  const forward::Packet& without_ttls(std::size_t stage) const {
    return packets_[stages_[stage].packet];
  }
  IpAddress next_hop(std::size_t stage) const { return next_hops_[stage]; }

 private:
  struct Stage {
    std::uint8_t packet = 0;  ///< Index in packets_.
    std::uint8_t ttl = 0;
    std::uint8_t outer_ttl = 0;
  };
  static constexpr std::size_t kMax = CachedDecisions::kStages + 1;

  std::vector<forward::Packet> packets_;
  std::array<IpAddress, kMax> next_hops_;
  std::array<Stage, kMax> stages_;
  std::uint8_t count_ = 0;
};

/// A cache entry on its way to another partition, with the decisions before the next stage.
struct FlowCacheCopy {
  EndpointId end = 0;
  std::uint8_t known = 0;
  CachedDecisions decisions;
  FlowCacheHeaders headers;
};

/// The cache entries of all endpoints, at most kMaxEntries: beyond that, entries without packets in
/// flight that were not used recently are evicted. For endpoints of other partitions, it has copies
/// of the entries whose packets come here. One partition owns a FlowCache and is its only user.
class FlowCache {
 public:
  static constexpr std::size_t kMaxEntries = 1 << 17;

  explicit FlowCache(std::size_t ends) : of_end_(ends, kNone) {}

  FlowCacheEntry& operator[](CacheEntryId id) { return flow_cache_[id]; }
  const FlowCacheEntry& operator[](CacheEntryId id) const { return flow_cache_[id]; }
  FlowCacheHeaders& headers(CacheEntryId id) { return headers_[id]; }
  const FlowCacheHeaders& headers(CacheEntryId id) const { return headers_[id]; }
  /// The connections for which a node's decision counts packets.
  std::span<const node::ConntrackTable::Repeat> repeats(CacheEntryId id, std::size_t stage) const {
    if (stage == CachedDecisions::kFabricStage) return {};
    const std::size_t count = flow_cache_[id].decisions.node(stage).repeats;
    if (count == 0) return {};
    return {repeats_[id].of_node[stage / 2].data(), count};
  }
  /// Sets repeats() for a node's decision: at most ConntrackTable::kMaxFollowed.
  void set_repeats(CacheEntryId id, std::size_t stage,
                   std::span<const node::ConntrackTable::Repeat> repeats) {
    if (repeats.empty()) return;
    if (repeats_.size() < flow_cache_.size()) repeats_.resize(flow_cache_.size());
    std::ranges::copy(repeats, repeats_[id].of_node[stage / 2].begin());
  }

  /// The entry for the endpoint's next packet, or kNone.
  CacheEntryId of(EndpointId end) const { return of_end_[end]; }
  /// Prefetches the entry for the endpoint's next packet. Returns false if it has none.
  [[gnu::always_inline]] bool prefetch(EndpointId end) const {
    if (end >= of_end_.size() || of_end_[end] == kNone) return false;
    prefetch(of_end_[end], 0);
    return true;
  }
  /// Prefetches a packet's entry, and the connections for which its next decision counts it.
  [[gnu::always_inline]] void prefetch(CacheEntryId id, std::size_t stage) const {
    core::prefetch(&flow_cache_[id]);
    if (id < repeats_.size()) core::prefetch(&repeats_[id].of_node[stage / 2]);
  }
  /// Adds an entry for an endpoint that has none and whose packets start with `header`. Returns
  /// kNone if the cache is full.
  CacheEntryId begin(EndpointId end, const forward::Packet& header);
  /// Adds a copy of `id` with the decisions before `stage`. It becomes the endpoint's entry, unless
  /// the endpoint's packets start with another header now. A packet of `id` must be in flight.
  CacheEntryId branch(CacheEntryId id, std::size_t stage);
  /// The endpoint's packets will start with another header. The endpoint may be unknown.
  void forget(EndpointId end);

  void enter(CacheEntryId id) {
    ++flow_cache_[id].in_flight;
    flow_cache_[id].used = true;
  }
  void leave(CacheEntryId id) {
    FlowCacheEntry& cache_entry = flow_cache_[id];
    if (--cache_entry.in_flight == 0 && !cache_entry.current) free_.push_back(id);
  }

  /// A copy for another partition, which decides about the entry's packets from `stage` on.
  FlowCacheCopy carry(CacheEntryId id, std::size_t stage);
  /// Adds the copy of another partition's entry `original`, in place of an earlier copy.
  void take_over(std::uint32_t partition, CacheEntryId original, FlowCacheCopy copy);
  /// The copy of another partition's entry; kNone if there is none.
  CacheEntryId copy_of(std::uint32_t partition, CacheEntryId original) const {
    if (partition >= copies_.size() || original >= copies_[partition].size()) return kNone;
    return copies_[partition][original];
  }

 private:
  /// The connections for which the sender's and the receiver's node count the packets: one cache
  /// line each.
  struct alignas(64) Repeats {
    std::array<std::array<node::ConntrackTable::Repeat, node::ConntrackTable::kMaxFollowed>, 2>
        of_node;
  };
  /// The entry of another partition of which an entry is a copy.
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
  std::vector<Original> originals_;  ///< By entry; default values for entries that are not copies.
  /// Numbers of the copies here, by partition and original entry. Empty with one partition.
  std::vector<std::vector<CacheEntryId>> copies_;
  std::vector<CacheEntryId> free_;
  std::size_t hand_ = 0;  ///< The clock's hand: where the search for a victim continues.
};

}  // namespace overlane::run
