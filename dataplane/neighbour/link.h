#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/neighbour/arp_nd_writer.h"
#include "dataplane/neighbour/table.h"
#include "dataplane/net/address.h"
#include "dataplane/net/units.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::neighbour {

// One port's side of ARP and neighbour discovery, with real packets, as Linux behaves
// (net/ipv4/arp.c, net/ipv6/ndisc.c, net/core/neighbour.c). Link parses what arrives, Table
// holds the neighbours and their states, ArpNdWriter writes what is sent; LinkEvents tells the
// owner. There are no threads and no clock: the owner passes the time, calls tick(), and may
// not call the link from an event.

/// One Ethernet port's side of its link: finds the MACs of next hops, and says which addresses are
/// here, with ARP (RFC 826) and IPv6 Neighbour Discovery (RFC 4861) as Linux 6.1 does it
/// (net/core/neighbour.c, net/ipv4/arp.c, net/ipv6/ndisc.c).
///
/// Differences from Linux:
/// - Timers are not randomised.
/// - Use of a neighbour is not tracked. An entry that was once sent to or asked for is probed again
///   35 s after its last confirmation (kReachable and kDelay), then every second; after three
///   probes without an answer it is deleted. An entry learned only from a neighbour's own messages
///   is never probed, and deleted after kStale.
/// - When the table is full, an entry learned from a neighbour's own message replaces only the
/// oldest
///   of that kind; an entry that is sent to also replaces one unused for kStale (neigh_forced_gc
///   keeps only what changed in the last 5 s). A request without a free entry is still answered.
/// - An answer does not count as use. It goes to the frame's source when the request names none.
/// - Multicast, broadcast and zero MACs are not learned (RFC 1812 3.3.2).
/// - Not implemented: announcing the port's own addresses and duplicate detection (RFC 5227,
///   RFC 4862 5.4), multicast listener reports, router discovery and redirects. The port must
///   receive all multicast frames.
///
/// For one thread. `now` never goes back. A Handler is any type with the
/// functions of LinkEvents.
class Link {
 public:
  explicit Link(const Settings& settings);

  /// After a change of state. What is known of neighbours stays.
  void set_answers(const Answers& answers);

  /// Takes a frame that came in, from its Ethernet header on. True when it has been dealt with and
  /// is no packet to forward: any ARP, and what of ICMPv6 is for this link alone, that is
  /// neighbour and router discovery, redirects and multicast listener discovery (types 130–137 and
  /// 143) to a multicast, a link-local or an own address. Of these only neighbour messages are
  /// heeded, and only in whole packets (RFC 6980).
  template <typename Handler>
  bool receive(std::span<const std::uint8_t> frame, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    return take(frame, now, events);
  }

  /// Sends a packet, from its outermost IP header on, to a next hop: at once when that is known;
  /// else keeps it and asks, and gives up the oldest kept one when they are too many. The next hop
  /// is of either family, whatever the packet is. One that no neighbour can have (multicast,
  /// broadcast, loopback, the port's own) leaves the packet undelivered.
  template <typename Handler>
  void send(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Picos now,
            Handler& handler, Mark mark = 0) {
    LinkEventsTo<Handler> events(handler);
    send_packet(next_hop, packet, mark, now, events);
  }

  /// Makes sure that a next hop is asked for, without a packet. Also says that it is in use: call
  /// it for what is taken from learned() or find(), and at least every kStale where a full table
  /// must not cost it.
  template <typename Handler>
  void want(const IpAddress& next_hop, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    want_address(next_hop, now, events);
  }

  /// Says that somebody else behaves as if the address were his: the one that is known is asked
  /// now, and lost when it does not answer three times. Once a second at the most.
  template <typename Handler>
  void doubt(const IpAddress& address, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    ArpNdWriter writer = writer_to(events);
    table_.doubt(address, now, writer);
  }

  /// Asks again, gives up, forgets: whatever is due. To be called at next_deadline(), or as late
  /// as one likes: all that is late is then done once.
  template <typename Handler>
  void tick(Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    ArpNdWriter writer = writer_to(events);
    table_.tick(now, writer);
  }
  /// Nothing while there are no neighbours.
  std::optional<Picos> next_deadline() const { return table_.next_deadline(); }

  /// The MAC of a next hop while it is known.
  std::optional<MacAddress> find(const IpAddress& next_hop) const { return table_.find(next_hop); }

  /// `visit(address, MAC)` for all that are known.
  template <typename Visit>
  void for_each_known(Visit visit) const {
    table_.for_each_known(visit);
  }

  /// Whether one is known or asked for.
  bool has(const IpAddress& next_hop) const { return table_.has(next_hop); }
  /// How many are.
  std::size_t neighbours() const { return table_.size(); }
  /// How many packets are kept until an answer comes.
  std::size_t kept() const { return table_.kept(); }
  /// Leaves all of them undelivered.
  template <typename Handler>
  void give_up(Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    table_.give_up(events);
  }
  /// How many messages for this port were ignored because they contradict themselves.
  std::uint64_t malformed() const { return malformed_; }

 private:
  bool take(std::span<const std::uint8_t> frame, Picos now, LinkEvents& events);
  void send_packet(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark,
                   Picos now, LinkEvents& events);
  void want_address(const IpAddress& next_hop, Picos now, LinkEvents& events);

  void hear_arp(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> bytes,
                Picos now, ArpNdWriter& writer);
  /// Returns true if the frame was for this link only.
  bool hear_ipv6(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> packet,
                 Picos now, ArpNdWriter& writer);
  void hear_neighbour(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                      std::span<const std::uint8_t> message, Picos now, ArpNdWriter& writer);
  void hear_solicitation(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                         const wire::NeighbourMessage& message, Picos now, ArpNdWriter& writer);
  void hear_advertisement(const wire::Ipv6Header& ip, const wire::NeighbourMessage& message,
                          Picos now, ArpNdWriter& writer);

  bool owns(const IpAddress& address) const;
  /// Whether a neighbour can have the address.
  bool is_elsewhere(const IpAddress& address) const;
  /// Whether the frame is for this port, alone or among others.
  bool is_for_us(const wire::EthernetHeader& ethernet) const;
  ArpNdWriter writer_to(LinkEvents& events) { return {mac_, answers_.own, frame_, events}; }

  MacAddress mac_;
  Answers answers_;
  Table table_;
  std::uint64_t malformed_ = 0;
  std::vector<std::uint8_t> frame_;  ///< The one being written.
};

}  // namespace overlane::neighbour
