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

// ARP and neighbour discovery of one port, on real frames. Link parses received frames, Table holds
// the neighbours and their states, ArpNdWriter writes the frames to send, and LinkEvents reports to
// the owner. There is no thread and no clock: the owner passes the time, calls tick(), and must not
// call the link from an event.

/// One Ethernet port on its link. It finds the MACs of next hops and answers requests for the
/// port's addresses, with ARP (RFC 826) and IPv6 Neighbour Discovery (RFC 4861), as in Linux 6.1
/// (net/core/neighbour.c, net/ipv4/arp.c, net/ipv6/ndisc.c).
///
/// Differences from Linux:
/// - Timers are not randomised.
/// - Later use of a neighbour has no effect on its timers. An entry that was used or requested
///   once is probed again 35 s after its last confirmation (kReachable and kDelay), then every
///   second. After three probes without an answer it is deleted. An entry that comes only from
///   a neighbour's own messages is never probed, and deleted after kStale.
/// - When the table is full, an entry from a neighbour's own message replaces only the oldest
///   entry of that kind. An entry that is used also replaces one that was unused for kStale
///   (neigh_forced_gc keeps only entries that changed in the last 5 s). A request without a free
///   entry still gets its answer.
/// - An answer does not count as use. It goes to the frame's source if the request has no MAC.
/// - Multicast, broadcast and zero MACs are not learned (RFC 1812 3.3.2).
/// - Not implemented: announcing the port's own addresses and duplicate detection (RFC 5227,
///   RFC 4862 5.4), multicast listener reports, router discovery and redirects. The port must
///   receive all multicast frames.
///
/// For one thread. `now` must never decrease. A Handler is any type with the functions of
/// LinkEvents.
class Link {
 public:
  explicit Link(const Settings& settings);

  /// Replaces the addresses that the port answers for. Keeps the neighbours.
  void set_answers(const Answers& answers);

  /// Handles a received frame, which begins with its Ethernet header. Returns true if the frame is
  /// no packet to forward. These are all ARP frames, and ICMPv6 messages for this link only:
  /// neighbour and router discovery, redirects and multicast listener discovery (types 130–137 and
  /// 143) to a multicast, a link-local or an own address. Of these the link evaluates ARP and
  /// neighbour messages only; a fragmented neighbour message is left to the caller (RFC 6980).
  template <typename Handler>
  bool receive(std::span<const std::uint8_t> frame, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    return take(frame, now, events);
  }

  /// Sends a packet to a next hop. `packet` begins with its outermost IP header; the next hop may
  /// be of the other family. If the next hop's MAC is not known, keeps the packet and requests the
  /// MAC. If a neighbour has too many kept packets, drops its oldest ones as undelivered. The
  /// packet is undelivered at once if no neighbour can have the next hop's address (multicast,
  /// broadcast, loopback or the port's own), or if the table is full.
  template <typename Handler>
  void send(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Picos now,
            Handler& handler, Mark mark = 0) {
    LinkEventsTo<Handler> events(handler);
    send_packet(next_hop, packet, mark, now, events);
  }

  /// Requests the MAC of a next hop without a packet, unless it is known. Also marks the next hop
  /// as used: call it for next hops from learned() or find(), and at least every kStale, so that a
  /// full table does not evict them.
  template <typename Handler>
  void resolve(const IpAddress& next_hop, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    resolve_address(next_hop, now, events);
  }

  /// Reports that another host behaves as if it had the address. The known neighbour is probed now,
  /// and lost after three probes without an answer. At most one probe sequence starts per second.
  template <typename Handler>
  void doubt(const IpAddress& address, Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    ArpNdWriter writer = writer_to(events);
    table_.doubt(address, now, writer);
  }

  /// Performs all actions that are due: repeats requests, gives neighbours up and deletes entries.
  /// Call it at next_deadline(). A late call performs each overdue action once.
  template <typename Handler>
  void tick(Picos now, Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    ArpNdWriter writer = writer_to(events);
    table_.tick(now, writer);
  }
  /// Returns the time of the next action; nothing without neighbours.
  std::optional<Picos> next_deadline() const { return table_.next_deadline(); }

  /// Returns the MAC of a next hop; nothing if it is not known.
  std::optional<MacAddress> find(const IpAddress& next_hop) const { return table_.find(next_hop); }

  /// Calls `visit(address, MAC)` for all known neighbours.
  template <typename Visit>
  void for_each_known(Visit visit) const {
    table_.for_each_known(visit);
  }

  /// Returns whether the next hop is known or requested.
  bool has(const IpAddress& next_hop) const { return table_.has(next_hop); }
  /// Returns the number of known and requested neighbours.
  std::size_t neighbours() const { return table_.size(); }
  /// Returns the number of packets that wait for an answer.
  std::size_t kept() const { return table_.kept(); }
  /// Drops all kept packets as undelivered.
  template <typename Handler>
  void give_up(Handler& handler) {
    LinkEventsTo<Handler> events(handler);
    table_.give_up(events);
  }
  /// Returns the number of messages for this port that were ignored because they are malformed.
  std::uint64_t malformed() const { return malformed_; }

 private:
  bool take(std::span<const std::uint8_t> frame, Picos now, LinkEvents& events);
  void send_packet(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark,
                   Picos now, LinkEvents& events);
  void resolve_address(const IpAddress& next_hop, Picos now, LinkEvents& events);

  void receive_arp(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> bytes,
                   Picos now, ArpNdWriter& writer);
  /// Returns true if the frame was for this link only.
  bool receive_ipv6(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> packet,
                    Picos now, ArpNdWriter& writer);
  void receive_neighbour(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                         std::span<const std::uint8_t> message, Picos now, ArpNdWriter& writer);
  void receive_solicitation(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                            const wire::NeighbourMessage& message, Picos now, ArpNdWriter& writer);
  void receive_advertisement(const wire::Ipv6Header& ip, const wire::NeighbourMessage& message,
                             Picos now, ArpNdWriter& writer);

  bool owns(const IpAddress& address) const;
  /// Returns whether a neighbour can have the address.
  bool is_elsewhere(const IpAddress& address) const;
  /// Returns whether the frame's destination is this port or a group.
  bool is_for_us(const wire::EthernetHeader& ethernet) const;
  ArpNdWriter writer_to(LinkEvents& events) { return {mac_, answers_.own, frame_, events}; }

  MacAddress mac_;
  Answers answers_;
  Table table_;
  std::uint64_t malformed_ = 0;
  std::vector<std::uint8_t> frame_;  ///< Scratch memory of the frame that is being written.
};

}  // namespace overlane::neighbour
