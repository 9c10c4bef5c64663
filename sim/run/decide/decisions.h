#pragma once

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

/// WireGuard's padding depends on the inner length, so a cached decision adds it when sending and
/// removes it when receiving.
void repad(Packet& packet, const CachedDecision& hop);

/// Whether a flight can hold the packet's padding, which is no more than WireGuard itself adds.
bool is_padding_kept(const forward::Packet& header);

/// The flow as switches and NICs see it: by the outermost header, without ports where shows_ports()
/// says so.
FlowKey outer_flow(const forward::Packet& header);

/// A header of one packet alone.
struct OwnHeader {
  forward::Packet packet;
  IpAddress next_hop;
};

/// What goes along with packets to another partition, so that it knows their headers: in the order
/// of those that bring something.
struct CarriedHeaders {
  std::vector<FlowCacheCopy> copies;
  std::vector<OwnHeader> own;
};

/// Decides about packets on nodes and in the fabric: forward() under the current states. A decision
/// that depends only on state and header is cached for the flow's next packets until the state or
/// the node's learned state changes. A sample goes through the byte path, cached decisions too.
class Decisions {
 public:
  /// `network` and `states` must outlive this object. `is_part`: other nodes are in other
  /// partitions.
  Decisions(const Network& network, const RunOptions& options, States& states, bool is_part,
            std::size_t ends);

  /// Gives a new flight its sender's cache entry, which starts with make_header() when it is new.
  /// Packets that are not `plain` get a header of their own.
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
  /// Prefetches the cache entry of a flight.
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    if (packet.cache_entry != kNone) flow_cache_.prefetch(packet.cache_entry, packet.stage);
  }
  /// Prefetches the cache entry of an endpoint's next packet. Returns false if it has none.
  [[gnu::always_inline]] bool prefetch_cached(EndpointId end) const {
    return flow_cache_.prefetch(end);
  }
  /// What the fabric is going to do with a flight that its end has just sent, or null.
  const CachedDecision* fabric_hop(const Packet& packet) const {
    if (packet.cache_entry == kNone || flow_cache_[packet.cache_entry].known < 2) return nullptr;
    return &flow_cache_[packet.cache_entry].hops[1];
  }
  /// To be called when the packets of an end begin to look different.
  void forget_cached(EndpointId end) { flow_cache_.forget(end); }

  /// Moves the flight behind the kept decision of the node where it is, if there is one that holds;
  /// else null.
  const CachedDecision* follow_node(Packet& packet, Picos now) {
    const CachedDecision* hop = known(packet, states_.version(packet.node));
    if (hop == nullptr || (hop->repeats > 0 && !repeat(packet, now))) return nullptr;
    move(packet, *hop);
    if (hop->draws_identification)
      packet.outer_identification = states_.runtime(packet.node).identification.next_of(hop->core);
    return hop;
  }
  /// Applies the fabric's cached decision and returns it; null if there is none that holds.
  const CachedDecision* follow_fabric(Packet& packet) {
    const CachedDecision* hop = known_fabric(packet);
    if (hop != nullptr) move(packet, *hop);
    return hop;
  }
  /// The kept decision of the fabric, for a flight that stays in front of it; null where none
  /// holds.
  const CachedDecision* known_fabric(const Packet& packet) const {
    if (packet.cache_entry == kNone) return nullptr;
    const FabricVersions::Key destination = flow_cache_[packet.cache_entry].fabric_destination;
    return known(packet, states_.fabric_version(destination));
  }
  /// Moves a flight behind a decision that holds.
  static void move(Packet& packet, const CachedDecision& hop) {
    if (hop.seals) repad(packet, hop);
    packet.length += static_cast<std::uint32_t>(hop.growth);
    ++packet.stage;
    packet.egress = hop.egress;
    packet.local = hop.local;
  }

  /// Asks the node what becomes of `packet`, which is header() of the flight; good until asked
  /// again. Null when the decision was cached: the packet has been moved past it.
  const forward::Outcome* ask_node(Packet& packet, const forward::Packet& header,
                                   forward::Ingress ingress, Picos now);
  /// Decides in the fabric as ask_node() does on a node.
  const forward::FabricOutcome* ask_fabric(Packet& packet, const forward::Packet& header,
                                           Picos now);
  /// The cached decision that was applied to the packet last.
  const CachedDecision& passed(const Packet& packet) const {
    return flow_cache_[packet.cache_entry].hops[packet.stage - 1u];
  }
  /// The spine by which a flight leaves the rack of `from`, where it has been; there are racks.
  std::uint8_t spine(const Packet& packet, std::uint32_t from) const {
    if (packet.cache_entry != kNone) return passed(packet).cost;
    return states_.racks()->spine(from, outer_flow(headers_[packet.header].packet));
  }
  /// What a node tells the sender of a packet whose fragments did not all come; good until asked
  /// again.
  const forward::Outcome& ask_about_lost(std::uint32_t node,
                                         const node::ReassemblyTable::Expired& lost, bool sampled,
                                         Picos now);
  std::vector<node::ReassemblyTable::Expired> expire_fragments(std::uint32_t node, Picos now) {
    return states_.runtime(node).reassembly.expire(now);
  }

  /// The packet's header.
  forward::Packet header(const Packet& packet) const;
  /// The packet's header without lengths, identifications and TTLs.
  const forward::Packet& header_shape(const Packet& packet) const {
    return packet.cache_entry == kNone
               ? headers_[packet.header].packet
               : flow_cache_.headers(packet.cache_entry).without_ttls(packet.stage);
  }
  /// Whether two whole packets of one end differ in lengths and identifications only.
  bool look_alike(const Packet& a, const Packet& b) const {
    if (a.cache_entry != kNone && a.cache_entry == b.cache_entry && a.stage == b.stage) return true;
    return have_one_shape(header(a), header(b));
  }
  /// Whether settle() was called for the flight's cache entry with this `version`: its header need
  /// not be checked again.
  bool is_settled(const Packet& packet, std::uint16_t version) const {
    return packet.cache_entry != kNone && flow_cache_[packet.cache_entry].settled_with == version;
  }
  void settle(const Packet& packet, std::uint16_t version) {
    if (packet.cache_entry != kNone) flow_cache_[packet.cache_entry].settled_with = version;
  }
  /// Gives a flight a header of its own, instead of the one that it had.
  void give_header(Packet& packet, const forward::Packet& header, IpAddress next_hop);
  /// The flight is over.
  void release(Packet& packet) {
    if (packet.cache_entry != kNone) flow_cache_.leave(std::exchange(packet.cache_entry, kNone));
    if (packet.header != kNone) free_headers_.push_back(std::exchange(packet.header, kNone));
  }

  const States& states() const { return states_; }
  /// Prefetches this partition's copy of another partition's entry, if there is one.
  void prefetch_copy(std::uint32_t partition, CacheEntryId original) const {
    const CacheEntryId copy = flow_cache_.copy_of(partition, original);
    if (copy != kNone) flow_cache_.prefetch(copy, 2);
  }
  /// A flight goes to another partition. True when its header goes along, into `headers`; else the
  /// other knows it.
  bool carry(const Packet& packet, CarriedHeaders& headers);
  /// A flight with its own header has come from another partition; `flight` knows of none.
  void take_over(Packet& packet, const OwnHeader& header) {
    give_header(packet, header.packet, header.next_hop);
  }
  /// One with a cache entry of that partition, of which there is a copy here; or `copy` becomes it.
  void take_over(Packet& packet, std::uint32_t partition) {
    packet.cache_entry = flow_cache_.copy_of(partition, packet.cache_entry);
    flow_cache_.enter(packet.cache_entry);
  }
  void take_over(Packet& packet, std::uint32_t partition, FlowCacheCopy copy) {
    flow_cache_.take_over(partition, packet.cache_entry, std::move(copy));
    take_over(packet, partition);
  }

  const ByteCheck& byte_check() const { return byte_check_; }

 private:
  const CachedDecision* known(const Packet& packet, std::uint32_t version) const {
    if (packet.cache_entry == kNone || packet.sampled) return nullptr;
    const FlowCacheEntry& cache_entry = flow_cache_[packet.cache_entry];
    if (packet.stage >= cache_entry.known) return nullptr;
    const CachedDecision& hop = cache_entry.hops[packet.stage];
    return hop.version == version && packet.length <= hop.longest ? &hop : nullptr;
  }
  static bool have_one_shape(const forward::Packet& a, const forward::Packet& b);
  bool is_checked(const Packet& packet, std::uint32_t changed_at) const;
  bool repeat(const Packet& packet, Picos now);
  using Repeats = std::span<const node::ConntrackTable::Repeat>;
  bool keep(Packet& packet, const CachedDecision& hop, const forward::Packet& after,
            IpAddress next_hop, Repeats repeats);
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
  forward::Outcome outcome_;  ///< Kept for its memory, as the next.
  forward::FabricOutcome fabric_outcome_;
};

/// Where a packet's way through a node begins, and where it ends.
constexpr cost::Side side(forward::Ingress from) {
  if (from == forward::Ingress::Uplink) return cost::Side::Nic;
  return from == forward::Ingress::Pod ? cost::Side::Pod : cost::Side::Node;
}
constexpr cost::Side side(forward::Egress to) {
  if (to == forward::Egress::Uplink) return cost::Side::Nic;
  return to == forward::Egress::Pod ? cost::Side::Pod : cost::Side::Node;
}

/// The core that a receiving NIC picks by the header that it sees: IPIP shows no ports, a VXLAN
/// packet the source port that represents its inner flow, if the NIC hashes ports. 0 where there
/// are no cores.
std::uint16_t receive_core(const forward::Packet& header, const host::Machine& machine);
/// Whether ports of the outermost header tell its flow from others between the same addresses,
/// which WireGuard's do not.
bool shows_ports(const forward::Packet& header);

}  // namespace overlane::run
