#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/core/event_queue.h"
#include "sim/core/fifo_server.h"
#include "sim/run/decide/decisions.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// Fragments that wait for the rest of their packet. They count as in flight until they end:
/// delivered when the packet is complete, dropped when it is given up.
class HeldFragments {
 public:
  /// The referenced argument must outlive this object.
  explicit HeldFragments(Accounts& accounts) : accounts_(accounts) {}

  /// The place of reassembly: a node, or the pod of one endpoint.
  struct Place {
    bool in_pod = false;
    std::uint32_t number = 0;  ///< Node, or endpoint in whose pod the fragments wait.

    auto operator<=>(const Place&) const = default;
  };
  static Place at_node(std::uint32_t node) { return {false, node}; }
  static Place in_pod(EndpointId end) { return {true, end}; }

  /// Adds a fragment. Returns true if it is the first one of its packet at this place.
  bool hold(Place place, const node::ReassemblyKey& key, const Packet& packet) {
    Fragments& fragments = held_[{place, key}];
    fragments.sender = packet.sender;
    fragments.groups.push_back(packet.group);
    fragments.core = packet.core;
    fragments.sampled = fragments.sampled || packet.sampled;
    return fragments.groups.size() == 1;
  }
  /// An ICMP error about a packet whose fragments this node holds, on the core that received the
  /// last one; nullopt if the node holds none.
  std::optional<Packet> error_about(std::uint32_t node, const node::ReassemblyKey& key) const {
    const auto at = held_.find({at_node(node), key});
    if (at == held_.end()) return std::nullopt;
    return Packet{.sender = at->second.sender,
                  .node = node,
                  .group = at->second.groups.back(),
                  .core = at->second.core,
                  .kind = Packet::Kind::Packet,
                  .is_icmp = true,
                  .sampled = at->second.sampled};
  }
  /// All fragments of a packet have arrived.
  void complete(Place place, const node::ReassemblyKey& key) {
    const auto at = held_.find({place, key});
    if (at == held_.end()) return;
    for (const std::uint32_t group : at->second.groups)
      accounts_.delivered(group, 1);
    held_.erase(at);
  }
  void expire(Place place, const std::vector<node::ReassemblyTable::Expired>& expired) {
    for (const node::ReassemblyTable::Expired& lost : expired)
      if (const auto at = held_.find({place, lost.key}); at != held_.end()) drop(at, lost.drop);
  }
  /// Drops all fragments that wait at a place.
  void give_up(Place place, Drop reason) {
    auto at = held_.lower_bound({place, {}});
    while (at != held_.end() && at->first.first == place)
      at = drop(at, reason);
  }
  /// Appends the group of each fragment.
  void list(std::vector<std::uint32_t>& groups) const {
    for (const auto& [where, fragments] : held_)
      groups.insert(groups.end(), fragments.groups.begin(), fragments.groups.end());
  }

 private:
  struct Fragments {
    EndpointId sender = 0;
    std::vector<std::uint32_t> groups;  ///< One per fragment: identifications are reused, so the
                                        ///< fragments may be of several groups.
    std::uint16_t core = 0;
    bool sampled = false;
  };
  using Held = std::map<std::pair<Place, node::ReassemblyKey>, Fragments>;

  Held::iterator drop(Held::iterator at, Drop reason) {
    for (const std::uint32_t group : at->second.groups)
      accounts_.dropped(group, reason, 1);
    return held_.erase(at);
  }

  Accounts& accounts_;
  Held held_;
};

/// A place where packets wait for a server, with the packets that it accepted.
struct Station {
  core::FifoServer server;
  Pipe pipe;
};

/// The packets in flight, from the socket that sends one until it is delivered or dropped: how they
/// wait at stations, and how they end. One partition owns a Packets; all its stations share it.
class Packets {
 public:
  /// Referenced arguments must outlive this object.
  Packets(Decisions& decisions, core::Scheduler& scheduler, Accounts& accounts)
      : decisions_(decisions), scheduler_(scheduler), accounts_(accounts), held_(accounts) {}

  Packet& operator[](PacketId id) { return pool_[id]; }
  const Packet& operator[](PacketId id) const { return pool_[id]; }
  /// The TCP segment in a packet.
  transport::Segment& segment(PacketId id) { return pool_.segment(id); }
  Picos now() const { return scheduler_.now(); }

  /// Adds a packet that is new on the network and has no header yet.
  PacketId add(const Packet& packet) {
    accounts_.sent(packet.group);
    return pool_.add(packet);
  }
  /// Adds the packet of `group` that make() returns, constructed in place.
  template <typename Make>
  PacketId add_made(std::uint32_t group, Make make) {
    accounts_.sent(group);
    return pool_.add_made(make);
  }
  /// Adds an ICMP error about a packet, at the packet's node.
  PacketId add_error_about(PacketId cause);
  /// Adds a fragment that has been cut off from a packet.
  PacketId add_fragment_of(PacketId id);
  /// Adds a read on `node`. It is not a packet and is not counted, but waits for a core like one.
  PacketId add_read(const Read& read, std::uint32_t node) { return pool_.add_read(read, node); }
  bool is_read(PacketId id) const { return pool_.is_read(id); }
  /// Requires is_read().
  Read read(PacketId id) const { return pool_.read(id); }
  /// Removes a read and returns it.
  Read take_read(PacketId id) {
    const Read read = pool_.read(id);
    pool_.remove(id);
    return read;
  }
  /// Removes a packet that goes to another partition, which adds it with come_over().
  void go_over(PacketId id) {
    decisions_.release(pool_[id]);
    pool_.remove(id);
  }
  PacketId come_over(const Packet& packet) { return pool_.add(packet); }

  /// Lets a packet wait at a station until `at`, when `event` happens there. A station must finish
  /// packets in arrival order.
  void wait(Pipe& pipe, PacketId id, Picos at, StationEvent event) {
    pool_[id].at = at;
    if (pipe.push(pool_, id)) scheduler_.schedule(at, event.packed());
  }
  void schedule(Picos at, StationEvent event) { scheduler_.schedule(at, event.packed()); }
  /// The current event had nothing to do and is not counted: the number of such events depends on
  /// when packets from other partitions become known.
  void uncount_event() { scheduler_.uncount(); }
  /// The packet whose wait at a station ends now; kNone if it was lost with its node and only its
  /// event is left.
  PacketId due(const Pipe& pipe) const {
    const bool is_due = !pipe.empty() && pool_[pipe.first()].at == scheduler_.now();
    return is_due ? pipe.first() : kNone;
  }
  /// Takes due() out of its station, and schedules the event of the next packet.
  PacketId take(Pipe& pipe, StationEvent event) {
    const PacketId id = due(pipe);
    if (id == kNone) return kNone;
    pipe.pop(pool_);
    if (!pipe.empty()) scheduler_.schedule(pool_[pipe.first()].at, event.packed());
    return id;
  }
  /// Puts a packet at the end of a queue without events.
  void queue(Pipe& pipe, PacketId id) { pipe.push(pool_, id); }
  /// Takes the first packet out of a queue without events.
  PacketId unqueue(Pipe& pipe) { return pipe.pop(pool_); }
  /// Takes the packets on `node` out of a queue without events, or out of a station that only this
  /// node uses; appends them to `out`.
  void take_out(Pipe& pipe, std::uint32_t node, std::vector<PacketId>& out) {
    pipe.take_out(pool_, node, out);
  }
  /// Takes the packets on `node` out of a station that other nodes also use and that continues;
  /// appends them to `out`.
  void take_out(Pipe& pipe, std::uint32_t node, StationEvent event, std::vector<PacketId>& out) {
    pipe.take_out(pool_, node, out);
    if (!pipe.empty()) scheduler_.schedule(pool_[pipe.first()].at, event.packed());
  }

  /// A packet has passed `links` links.
  void count_hops(std::int64_t links = 1) { hops_ += links; }
  /// A packet has left its sender's host: the send buffer or TCP's small queue has room again.
  void leave_host(Packet& packet) {
    if (packet.host_bytes == 0) return;
    departures_.push_back({packet.sender, std::exchange(packet.host_bytes, 0)});
  }
  /// A packet has arrived at its socket, or a read is complete.
  void arrive(PacketId id) { arrivals_.push_back(id); }
  /// Removes a packet that has been delivered.
  void deliver(PacketId id) {
    Packet& packet = pool_[id];
    leave_host(packet);
    accounts_.delivered(packet.group, packet.packets);
    let_go(id, TracePoint::Delivered);
  }
  void drop(PacketId id, Drop reason);
  /// Removes a packet whose segment was merged into an earlier one.
  void merge_away(PacketId id) { let_go(id, TracePoint::Merged); }
  /// Moves a fragment to held(), where it waits at most `longest` for the rest of its packet; then
  /// `expiry` happens.
  void hold(HeldFragments::Place place, const node::ReassemblyKey& key, PacketId id, Picos longest,
            StationEvent expiry);
  HeldFragments& held() { return held_; }

  bool has_arrivals() const { return !arrivals_.empty(); }
  /// The next packet or read that arrive() has added. End a packet with deliver(), drop() or
  /// hold(), a read with take_read().
  PacketId take_arrival() {
    const PacketId next = arrivals_[next_arrival_++];
    if (next_arrival_ == arrivals_.size()) {
      arrivals_.clear();
      next_arrival_ = 0;
    }
    return next;
  }
  struct Departure {
    EndpointId sender = 0;
    std::uint32_t bytes = 0;
    bool operator==(const Departure&) const = default;
  };
  bool has_departures() const { return !departures_.empty(); }
  /// Takes the last departure back if it is `departure`. Returns whether it was.
  bool takes_back_departure(const Departure& departure) {
    const bool is_last = has_departures() && departures_.back() == departure;
    if (is_last) departures_.pop_back();
    return is_last;
  }
  Departure take_departure() {
    const Departure last = departures_.back();
    departures_.pop_back();
    return last;
  }

  /// Links passed. A packet sent by a node itself counts as if a pod had sent it.
  std::int64_t hops() const { return hops_; }
  /// The group of each packet that is still in flight.
  std::vector<std::uint32_t> groups_in_flight() const;

  /// Sets the observer of packets; null: none.
  void show_to(PathObserver* observer) { observer_ = observer; }
  /// Sets the observer of drops; null: none.
  void show_losses_to(LossObserver* observer) { loss_observer_ = observer; }
  /// Shows the observer a packet that has just been sent.
  void show_sent(PacketId id) {
    if (observer_ != nullptr) [[unlikely]]
      observer_->see(id, TracePoint::Sent);
  }

 private:
  void let_go(PacketId id, TracePoint stop, std::optional<Drop> reason = {}) {
    if (observer_ != nullptr) [[unlikely]]
      observer_->see_last(id, stop, reason);
    decisions_.release(pool_[id]);
    pool_.remove(id);
  }

  Decisions& decisions_;
  core::Scheduler& scheduler_;
  Accounts& accounts_;
  PathObserver* observer_ = nullptr;
  LossObserver* loss_observer_ = nullptr;
  PacketPool pool_;
  HeldFragments held_;
  std::vector<Departure> departures_;
  std::vector<PacketId> arrivals_;
  std::size_t next_arrival_ = 0;
  std::int64_t hops_ = 0;
};

}  // namespace overlane::run
