#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet.h"
#include "sim/run/decide/byte_check.h"
#include "sim/run/decide/flow_cache.h"
#include "sim/run/decide/states.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// The flow that switches and NICs see: fields of the outermost header, without ports unless
/// shows_ports().
FlowKey outer_flow(const forward::Packet& header);

/// A header that belongs to one packet only.
struct OwnHeader {
  forward::Packet packet;
  IpAddress next_hop;
};

/// Headers that another partition needs for the packets sent there, in the order of the packets
/// that bring one.
struct CarriedHeaders {
  std::vector<FlowCacheCopy> copies;
  std::vector<OwnHeader> own;
};

/// A decision about a packet. Exactly one of the two is not null. Both are valid until the next
/// decision, the next new packet or the next mail.
template <typename Cached, typename Outcome>
struct Decision {
  const Cached* cached = nullptr;    ///< Has been applied to the packet.
  const Outcome* outcome = nullptr;  ///< The caller applies it.
};
using NodeDecision = Decision<CachedNodeDecision, forward::Outcome>;
using FabricDecision = Decision<CachedFabricDecision, forward::FabricOutcome>;

/// Decides about packets on nodes (on_node()) and in the fabric (in_fabric()): forward() under the
/// current states. A decision that depends only on state and header is cached for the flow's next
/// packets until the state or the node's learned state changes. ByteCheck compares a sample, cached
/// decisions included, with the byte path. Decisions also keeps the headers of packets: of the
/// packet's cache entry, or the packet's own. One partition owns a Decisions and is its only user.
class Decisions {
 public:
  /// `network` and `states` must outlive this object. `is_part`: whether other nodes are in other
  /// partitions. `ends`: number of endpoints.
  Decisions(const Network& network, const RunOptions& options, States& states, bool is_part,
            std::size_t ends);

  /// Gives a new packet its sender's cache entry, with make_header() if the entry is new. Packets
  /// that are not `plain` get a header of their own.
  template <typename MakeHeader>
  [[gnu::always_inline]] void begin(Packet& packet, bool plain, MakeHeader make_header) {
    if (plain && keeps_) {
      packet.cache_entry = flow_cache_.of(packet.sender);
      if (packet.cache_entry == kNone)
        packet.cache_entry = flow_cache_.begin(packet.sender, make_header());
    }
    if (packet.cache_entry == kNone) return give_header(packet, make_header(), {});
    flow_cache_.enter(packet.cache_entry);
  }
  /// Prefetches the cache entry of a packet.
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    if (packet.cache_entry != kNone) flow_cache_.prefetch(packet.cache_entry, packet.stage);
  }
  /// Prefetches the cache entry of an endpoint's next packet. Returns false if it has none.
  [[gnu::always_inline]] bool prefetch_cached(EndpointId end) const {
    return flow_cache_.prefetch(end);
  }
  /// Likely receiver of a packet that its endpoint has just sent, for prefetching; or kNone.
  std::uint32_t likely_receiver(const Packet& packet) const {
    if (packet.cache_entry == kNone) return kNone;
    const FlowCacheEntry& entry = flow_cache_[packet.cache_entry];
    return entry.known > CachedDecisions::kFabricStage ? entry.decisions.fabric.to : kNone;
  }
  /// The decisions about the next packets of an endpoint, all of them cached: on its node, in the
  /// fabric and on the receiver's node.
  struct SettledWay {
    CacheEntryId entry = kNone;
    CachedDecisions decisions;
    std::uint32_t outer_length = 0;  ///< Bytes of the outermost IP packet between the nodes.
    Picos until;  ///< Last time for which the decisions are known to hold without a change.
  };
  /// The settled way of packets of `length` bytes from `sender` on `node`. nullopt if one of them
  /// would need a new decision, has no constant length, or stays on its node. `peer_version`: of
  /// the receiving endpoint, which must have checked the header.
  std::optional<SettledWay> settled_way(EndpointId sender, std::uint32_t node, std::uint32_t length,
                                        std::uint16_t peer_version, Picos now);
  /// Keeps a cache entry from eviction until let_entry_go().
  void hold_entry(CacheEntryId entry) { flow_cache_.enter(entry); }
  void let_entry_go(CacheEntryId entry) { flow_cache_.leave(entry); }
  /// Has the effects of `packets` packets on what a node has learned: they repeated the cached
  /// decision of `stage`, the last one at `last`.
  void repeat_on_node(CacheEntryId entry, std::size_t stage, std::uint32_t node,
                      std::int64_t packets, Picos last);

  /// The next packets of an endpoint have another header.
  void forget_cached(EndpointId end) { flow_cache_.forget(end); }

  /// Decides about a packet on the node where it is. Calls ingress() if no cached decision holds.
  template <typename IngressOf>
  [[gnu::always_inline]] NodeDecision on_node(Packet& packet, IngressOf ingress, Picos now) {
    if (const CachedNodeDecision* cached = known_on_node(packet, now)) {
      apply(packet, *cached);
      return {.cached = cached};
    }
    return decide_on_node(packet, ingress(), now);
  }
  /// Decides about a packet that leaves the node where it is.
  FabricDecision in_fabric(Packet& packet, Picos now) {
    if (const CachedFabricDecision* cached = known_in_fabric(packet)) {
      apply(packet, *cached);
      return {.cached = cached};
    }
    return decide_in_fabric(packet, now);
  }
  /// The cached decision that in_fabric() would apply; null if it would call forward(). Changes
  /// nothing: apply() it in place of in_fabric().
  const CachedFabricDecision* known_in_fabric(const Packet& packet) const {
    const FlowCacheEntry* entry = entry_with_decision(packet);
    if (entry == nullptr) return nullptr;
    assert(packet.stage == CachedDecisions::kFabricStage);
    const CachedFabricDecision& cached = entry->decisions.fabric;
    const bool holds = cached.version == states_.fabric_version(entry->fabric_destination) &&
                       packet.length <= cached.longest;
    return holds ? &cached : nullptr;
  }
  static void apply(Packet& packet, const CachedFabricDecision& cached) { move(packet, cached); }
  /// The spine by which a packet leaves the rack of `from`, after the fabric's decision about it.
  /// Requires racks.
  std::uint8_t spine(const Packet& packet, std::uint32_t from) const {
    if (packet.cache_entry != kNone) return flow_cache_[packet.cache_entry].decisions.fabric.spine;
    return states_.racks()->spine(from, outer_flow(headers_[packet.header].packet));
  }
  /// The ICMP error that a node sends when a packet's fragments have timed out. Valid until the
  /// next decision.
  const forward::Outcome& on_timeout(std::uint32_t node, const node::ReassemblyTable::Expired& lost,
                                     bool sampled, Picos now);
  std::vector<node::ReassemblyTable::Expired> expire_fragments(std::uint32_t node, Picos now) {
    return states_.runtime(node).reassembly.expire(now);
  }

  /// The packet's header.
  forward::Packet header(const Packet& packet) const;
  /// The packet's header, but with the lengths, identifications and TTLs of another packet.
  const forward::Packet& header_shape(const Packet& packet) const {
    return packet.cache_entry == kNone
               ? headers_[packet.header].packet
               : flow_cache_.headers(packet.cache_entry).without_ttls(packet.stage);
  }
  /// Whether two whole packets of one endpoint differ in lengths and identifications only.
  bool look_alike(const Packet& a, const Packet& b) const {
    if (a.cache_entry != kNone && a.cache_entry == b.cache_entry && a.stage == b.stage) return true;
    return have_one_shape(header(a), header(b));
  }
  /// Whether settle() was called for the packet's cache entry with this `version`: its header need
  /// not be checked again.
  bool is_settled(const Packet& packet, std::uint16_t version) const {
    return packet.cache_entry != kNone && flow_cache_[packet.cache_entry].settled_with == version;
  }
  void settle(const Packet& packet, std::uint16_t version) {
    if (packet.cache_entry != kNone) flow_cache_[packet.cache_entry].settled_with = version;
  }
  /// Gives a packet a header of its own, in place of its header so far.
  void give_header(Packet& packet, const forward::Packet& header, IpAddress next_hop);
  /// Frees the header of a packet that leaves the simulation or this partition.
  void release(Packet& packet) {
    if (packet.cache_entry != kNone) flow_cache_.leave(std::exchange(packet.cache_entry, kNone));
    if (packet.header != kNone) free_headers_.push_back(std::exchange(packet.header, kNone));
  }

  const States& states() const { return states_; }
  /// Prefetches this partition's copy of another partition's entry, if there is one.
  void prefetch_copy(std::uint32_t partition, CacheEntryId original) const {
    const CacheEntryId copy = flow_cache_.copy_of(partition, original);
    if (copy != kNone) flow_cache_.prefetch(copy, CachedDecisions::kFabricStage + 1);
  }
  /// A packet goes to another partition. Returns true if it brings its header, in `headers`; if
  /// not, the other partition already has a copy.
  bool carry(const Packet& packet, CarriedHeaders& headers);
  /// A packet with its own header has come from another partition. Requires `packet` without
  /// header.
  void take_over(Packet& packet, const OwnHeader& header) {
    give_header(packet, header.packet, header.next_hop);
  }
  /// A packet with a cache entry of another partition has come. Requires a copy of the entry here.
  void take_over(Packet& packet, std::uint32_t partition) {
    packet.cache_entry = flow_cache_.copy_of(partition, packet.cache_entry);
    flow_cache_.enter(packet.cache_entry);
  }
  /// A packet has brought the copy of its cache entry from another partition.
  void take_over(Packet& packet, std::uint32_t partition, FlowCacheCopy copy) {
    flow_cache_.take_over(partition, packet.cache_entry, std::move(copy));
    take_over(packet, partition);
  }

  const ByteCheck& byte_check() const { return byte_check_; }
  ByteCheck& byte_check() { return byte_check_; }

 private:
  /// The entry of a packet that has a cached decision for the packet's stage, or null.
  const FlowCacheEntry* entry_with_decision(const Packet& packet) const {
    if (packet.cache_entry == kNone || packet.sampled) return nullptr;
    const FlowCacheEntry& entry = flow_cache_[packet.cache_entry];
    return packet.stage < entry.known ? &entry : nullptr;
  }
  /// The cached decision that on_node() applies, or null. Counts the packet for its connections.
  const CachedNodeDecision* known_on_node(const Packet& packet, Picos now) {
    const FlowCacheEntry* entry = entry_with_decision(packet);
    if (entry == nullptr) return nullptr;
    assert(packet.stage != CachedDecisions::kFabricStage);
    const CachedNodeDecision& cached = entry->decisions.node(packet.stage);
    if (cached.version != states_.version(packet.node) || packet.length > cached.longest)
      return nullptr;
    return cached.repeats == 0 || repeat(packet, now) ? &cached : nullptr;
  }
  /// Applies a decision that holds for a further packet.
  void apply(Packet& packet, const CachedNodeDecision& cached) {
    move(packet, cached);
    if (cached.draws_identification)
      packet.outer_identification =
          states_.runtime(packet.node).identification.next_of(cached.identification_bucket);
  }
  /// Moves a packet to the next stage, without the values drawn per packet.
  static void move(Packet& packet, const CachedNodeDecision& cached) {
    if (cached.seals) pad(packet, cached);
    packet.length += static_cast<std::uint32_t>(cached.growth);
    ++packet.stage;
    packet.egress = cached.egress;
    packet.local = cached.local;
  }
  static void move(Packet& packet, const CachedFabricDecision&) { ++packet.stage; }
  static void pad(Packet& packet, const CachedNodeDecision& cached);
  NodeDecision decide_on_node(Packet& packet, forward::Ingress ingress, Picos now);
  FabricDecision decide_in_fabric(Packet& packet, Picos now);
  static bool have_one_shape(const forward::Packet& a, const forward::Packet& b);
  bool is_checked(const Packet& packet, std::uint32_t changed_at) const;
  bool repeat(const Packet& packet, Picos now);
  using Repeats = std::span<const node::ConntrackTable::Repeat>;
  template <typename Cached>
  bool keep(Packet& packet, const Cached& decided, const forward::Packet& after, IpAddress next_hop,
            Repeats repeats);
  IpAddress next_hop(const Packet& packet) const;

  const Network& network_;
  States& states_;
  node::FabricRuntime fabric_runtime_;
  bool is_part_;
  bool keeps_;
  FlowCache flow_cache_;
  std::vector<OwnHeader> headers_;
  std::vector<std::uint32_t> free_headers_;

  ByteCheck byte_check_;
  forward::Outcome outcome_;  ///< Members to reuse their memory: the outcomes of the last decision.
  forward::FabricOutcome fabric_outcome_;
};

/// The side on which a packet's path through a node begins, and the side on which it ends.
constexpr cost::Side side(forward::Ingress from) {
  if (from == forward::Ingress::Uplink) return cost::Side::Nic;
  return from == forward::Ingress::Pod ? cost::Side::Pod : cost::Side::Node;
}
constexpr cost::Side side(forward::Egress to) {
  if (to == forward::Egress::Uplink) return cost::Side::Nic;
  return to == forward::Egress::Pod ? cost::Side::Pod : cost::Side::Node;
}

/// The core that a receiving NIC picks (RSS), by the inner header of the tunnels for which the
/// machine says so, otherwise by the outermost header. The outer header of IPIP shows no ports; the
/// source port of VXLAN represents the inner flow, if the NIC hashes ports. 0 without cores.
std::uint16_t receive_core(const forward::Packet& header, const host::Machine& machine);
/// Whether ports of the outermost header distinguish flows between two addresses. Those of
/// WireGuard do not.
bool shows_ports(const forward::Packet& header);

}  // namespace overlane::run
