#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/io/send_queue.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/net/address.h"

namespace overlane::dpdk {

// The links of a node. Behind each port there is a neighbour::Link, which resolves neighbours by
// ARP and Neighbour Discovery. NodeLinks writes the resolved addresses into the link headers of a
// generation, and keeps frames of pods until the pod's link-layer address is known. Runs on the
// main core only.

/// Frames of pods whose link-layer address is not resolved yet. Spoofed frames can be detected only
/// after that.
class UnresolvedSources {
 public:
  using Frames = std::vector<std::vector<std::uint8_t>>;

  /// Maximum number of frames that wait for one address.
  static constexpr std::size_t kMaxOfOne = 64;

  /// Keeps a frame. Returns false if too many frames from that source wait already.
  bool keep(IpAddress source, std::span<const std::uint8_t> frame);

  /// Removes the frames of every source for which `is_decided(source)` is true and passes them, in
  /// order of arrival, to `take(source, frame)`, which may keep them again.
  template <typename IsDecided, typename Take>
  void release(IsDecided is_decided, Take take) {
    for (const IpAddress source : sources()) {
      if (!is_decided(source)) continue;
      for (const auto& frame : remove(source))
        take(source, std::span<const std::uint8_t>(frame));
    }
  }

  /// Number of waiting frames.
  std::size_t size() const { return size_; }

 private:
  std::vector<IpAddress> sources() const;
  Frames remove(IpAddress source);

  std::map<IpAddress, Frames> frames_;
  std::size_t size_ = 0;
};

/// Counters of messages and errors on a node's links, without forwarded packets.
struct LinkCounters {
  std::uint64_t errors_sent = 0;    ///< ICMP errors of the node that a port accepted.
  std::uint64_t messages_sent = 0;  ///< ARP and Neighbour Discovery messages sent by the node.
  std::uint64_t messages_lost =
      0;  ///< Such messages that were not sent: no free buffer, or no room at the port.
  std::uint64_t messages_malformed = 0;  ///< Received messages with contradictory fields.
  DropCounts drops;                      ///< Packets without a neighbour or a buffer.
};

/// The links of a node, one behind each port. Exchanges ARP and Neighbour Discovery messages, sends
/// packets to next hops, and keeps the link headers of a generation up to date.
class NodeLinks {
 public:
  /// All arguments must outlive the object. If `to_host` is null, there is no link to the host.
  NodeLinks(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink, SendQueue* to_host);

  /// Writes known link-layer addresses into the link headers of this generation, now and when more
  /// are resolved, and requests the addresses of its other next hops. The generation must outlive
  /// the next call.
  void replace(const Generation& generation, Picos now);

  /// The port of a link. Null if the link does not exist.
  const Port* port(forward::Egress link) const;

  /// Processes a received frame if it is an ARP or Neighbour Discovery message, and returns whether
  /// it was one.
  bool receive(forward::Egress link, std::span<const std::uint8_t> frame, Picos now);

  /// Sends a packet to a next hop. `is_error`: it is an ICMP error of the node. Requires that the
  /// link exists.
  void send(forward::Egress link, const IpAddress& next_hop, std::span<const std::uint8_t> packet,
            bool is_error, Picos now);

  /// Whether a local pod has the address.
  bool is_pod(const IpAddress& address) const;
  /// Link-layer address of a pod, if known.
  std::optional<MacAddress> pod(const IpAddress& address) const { return pods_.link.find(address); }
  /// Whether the pod's link-layer address is known or requested.
  bool has_pod(const IpAddress& address) const { return pods_.link.has(address); }
  void ask_pod(const IpAddress& address, Picos now);
  /// Reports that another station uses the pod's address, so that it is verified.
  void doubt_pod(const IpAddress& address, Picos now);

  /// Repeats requests, gives up on unanswered ones and removes expired neighbours, as far as they
  /// are due.
  void tick(Picos now);
  /// Drops all packets that wait for a neighbour's answer.
  void give_up();
  /// Returns the packets whose next hop did not answer since the last call: at most as many as may
  /// be reported to their senders.
  std::vector<std::vector<std::uint8_t>> take_unanswered();

  /// Number of packets that wait for a neighbour's answer.
  std::size_t kept() const;
  LinkCounters counters() const;

 private:
  struct Side {
    Side(forward::Egress leads_to, SendQueue& to);
    forward::Egress egress;
    SendQueue& queue;
    neighbour::Link link;
  };
  class OnLink;

  /// The side of a link. Null for the host if it has no port.
  Side* side(forward::Egress link);
  const Side* side(forward::Egress link) const;
  /// Calls `each(side, handler)` for every existing side.
  template <typename Each>
  void for_all(Each each);
  /// Marks the next hops of the generation as in use, a limited number per call.
  void want_next_hops(Picos now);

  const PacketPool& pool_;
  Side pods_;
  Side uplink_;
  std::optional<Side> host_;
  const Generation* generation_ = nullptr;
  std::map<adjacency::NextHop, std::size_t> next_hops_;  ///< Positions in the generation.
  std::vector<std::vector<std::uint8_t>> unanswered_;
  Picos next_want_;
  std::size_t left_to_want_ = 0;  ///< Next hops still to mark in this round.
  std::size_t want_at_ = 0;       ///< Position of the next one; wraps around.
  LinkCounters counters_;
};

}  // namespace overlane::dpdk
