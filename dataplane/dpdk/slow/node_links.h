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

// The links of a node: neighbour::Link behind each port, the link headers that they teach, and
// frames of pods that wait until their address is known.

/// Frames of pods whose link-layer address is not resolved yet: only then can spoofed ones be told
/// apart.
class UnresolvedSources {
 public:
  using Frames = std::vector<std::vector<std::uint8_t>>;

  /// How many wait for one address.
  static constexpr std::size_t kMaxOfOne = 64;

  /// Keeps a frame; false when too many from that source wait.
  bool keep(IpAddress source, std::span<const std::uint8_t> frame);

  /// Gives up the frames of every source of which `is_decided(source)`, in the order they came:
  /// `take(source, frame)`, which may keep them again.
  template <typename IsDecided, typename Take>
  void release(IsDecided is_decided, Take take) {
    for (const IpAddress source : sources()) {
      if (!is_decided(source)) continue;
      for (const auto& frame : remove(source))
        take(source, std::span<const std::uint8_t>(frame));
    }
  }

  /// How many frames wait.
  std::size_t size() const { return size_; }

 private:
  std::vector<IpAddress> sources() const;
  Frames remove(IpAddress source);

  std::map<IpAddress, Frames> frames_;
  std::size_t size_ = 0;
};

/// What passed a node's links beside packets of others, and what did not.
struct LinkCounters {
  std::uint64_t errors_sent = 0;    ///< ICMP errors of the node that a port took.
  std::uint64_t messages_sent = 0;  ///< ARP and Neighbour Discovery of the node …
  std::uint64_t messages_lost = 0;  ///< … for which no buffer was free, or no room at the port.
  std::uint64_t messages_malformed = 0;  ///< Messages of others that contradict themselves.
  DropCounts drops;                      ///< Packets without a neighbour or a buffer.
};

/// A node's links, one behind each port: its part in their conversations, and packets to next hops.
/// Keeps the link headers of a generation up to date.
class NodeLinks {
 public:
  /// All must outlive it. Without a queue to the host there is no such link.
  NodeLinks(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink, SendQueue* to_host);

  /// Writes what is known, and will be, into the link headers of this generation, which must
  /// outlive the next call; its other next hops are asked for theirs.
  void replace(const Generation& generation, Picos now);

  /// The port that a link is behind, if it exists.
  const Port* port(forward::Egress link) const;

  /// Takes a frame from a link; true when it was a message between neighbours.
  bool receive(forward::Egress link, std::span<const std::uint8_t> frame, Picos now);

  /// Sends a packet to a next hop, an ICMP error of the node or another; the link exists.
  void send(forward::Egress link, const IpAddress& next_hop, std::span<const std::uint8_t> packet,
            bool is_error, Picos now);

  /// Whether a local pod has the address.
  bool is_pod(const IpAddress& address) const;
  /// Its link-layer address while it is known.
  std::optional<MacAddress> pod(const IpAddress& address) const { return pods_.link.find(address); }
  /// Whether the pod's link-layer address is known or requested.
  bool has_pod(const IpAddress& address) const { return pods_.link.has(address); }
  void ask_pod(const IpAddress& address, Picos now);
  /// Reports that another station uses the address.
  void doubt_pod(const IpAddress& address, Picos now);

  /// Asks again, gives up, forgets: whatever is due.
  void tick(Picos now);
  /// Drops all that waits for an answer.
  void give_up();
  /// Packets whose next hop did not answer, since the last call; no more than senders are told of.
  std::vector<std::vector<std::uint8_t>> take_unanswered();

  /// Packets that wait for an answer.
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

  /// Null for the host when it has no port.
  Side* side(forward::Egress link);
  const Side* side(forward::Egress link) const;
  /// `each(side, handler)` for all that there are.
  template <typename Each>
  void for_all(Each each);
  /// Says of the generation's next hops that they are in use, some at a time.
  void want_next_hops(Picos now);

  const PacketPool& pool_;
  Side pods_;
  Side uplink_;
  std::optional<Side> host_;
  const Generation* generation_ = nullptr;
  std::map<adjacency::NextHop, std::size_t> next_hops_;  ///< Positions in the generation.
  std::vector<std::vector<std::uint8_t>> unanswered_;
  Picos next_want_;
  std::size_t left_to_want_ = 0;  ///< In this round.
  std::size_t want_at_ = 0;       ///< Goes round and round the next hops.
  LinkCounters counters_;
};

}  // namespace overlane::dpdk
