#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "dataplane/neighbour/arp_nd_writer.h"
#include "dataplane/net/address.h"
#include "dataplane/net/units.h"

namespace overlane::neighbour {

// The neighbour table of a port (struct neighbour, RFC 4861 section 7.3): the states of its
// entries, their timers, the packets that wait for an answer, and the bounds.

// The constants are Linux's defaults: the parms of arp_tbl (net/ipv4/arp.c) and nd_tbl
// (net/ipv6/ndisc.c), as shown by `sysctl net.ipv4.neigh.default`.

/// Maximum number of requests in one state (mcast_solicit and ucast_solicit), and the interval
/// between them (retrans_time).
inline constexpr int kMaxRequests = 3;
inline constexpr Picos kRetransmit = seconds(1);
/// How long a confirmation lasts (base_reachable_time). Linux draws a value from 0.5 to 1.5 times
/// this one (neigh_rand_reach_time), so that hosts that started together do not probe together;
/// this model uses the value itself.
inline constexpr Picos kReachable = seconds(30);
/// How long an unconfirmed neighbour is used before it is probed (delay_first_probe_time).
inline constexpr Picos kDelay = seconds(5);
/// How long an unused entry is kept (gc_stale_time).
inline constexpr Picos kStale = seconds(60);
/// Time after an update in which a different ARP answer is ignored, so that the first of several
/// answers counts (locktime of ARP, arp_process).
inline constexpr Picos kLock = seconds(1);

/// The addresses for which a port answers requests.
struct Answers {
  /// The port's own addresses of both families. A request comes from the first one of its family,
  /// unless the waiting packet comes from another of them; neighbour discovery prefers a link-local
  /// one (arp_solicit with arp_announce 0, ndisc_solicit).
  std::vector<IpAddress> own;
  /// Answer ARP for every other address too, as Felix configures the host's end of each pod's veth.
  /// IPv6 has no such option: `own` must list the addresses that pods request.
  bool proxy_arp = false;
};

struct Settings {
  /// MAC address of the port. The port also has the link-local address derived from it
  /// (link_local()), unless Answers lists another one.
  MacAddress mac;
  Answers answers;
  /// Maximum number of entries (gc_thresh3, which Linux counts per family over all devices).
  std::size_t max_neighbours = 1024;
  /// Maximum bytes of packets that wait for one neighbour (unres_qlen_bytes). Each packet counts
  /// with kPacketOverhead.
  std::size_t max_queued_bytes = 212'992;
  /// For a link whose neighbours do not trust each other: an address stays with its neighbour as
  /// long as that neighbour answers. A message with another MAC has the effect of Link::doubt().
  bool keeps_known_mac = false;
};

/// Bytes of an empty socket buffer: SKB_TRUESIZE(0) on x86-64 (include/linux/skbuff.h).
inline constexpr std::size_t kPacketOverhead = 576;

/// The content of a message about the neighbour that has an address.
struct Evidence {
  /// Whether the message replaces another known MAC.
  enum class Override : std::uint8_t {
    Weak,       ///< No, but a confirmed neighbour becomes unconfirmed (RFC 4861 7.2.5).
    AfterLock,  ///< Only if the known MAC is older than kLock.
    Yes,
  };

  std::optional<MacAddress> mac;  ///< The neighbour's MAC; nothing: the known one.
  bool confirms = false;          ///< The message answers a request.
  Override overrides = Override::Weak;
  bool creates = false;  ///< The message creates an entry if there is none.
};

/// The neighbours of a link, each in one of the states of RFC 4861 7.3.2 (net/core/neighbour.c). A
/// neighbour that does not answer is removed: there is no FAILED state. Functions have the meaning
/// of those of Link.
class Table {
 public:
  explicit Table(const Settings& settings)
      : max_neighbours_(settings.max_neighbours),
        max_queued_bytes_(settings.max_queued_bytes),
        keeps_known_mac_(settings.keeps_known_mac) {}

  std::optional<MacAddress> find(const IpAddress& address) const;
  template <typename Visit>
  void for_each_known(Visit visit) const {
    for (const auto& [address, neighbour] : neighbours_)
      if (neighbour.is_known()) visit(address, neighbour.mac);
  }
  bool has(const IpAddress& address) const { return neighbours_.contains(address); }
  std::size_t size() const { return neighbours_.size(); }

  /// Returns the number of packets that wait for an answer.
  std::size_t kept() const { return kept_; }
  /// Drops all waiting packets as undelivered.
  void give_up(LinkEvents& events);

  /// Sends the packet, or keeps it and requests the neighbour's MAC.
  void send(const IpAddress& to, const ToSend& packet, Picos now, ArpNdWriter& writer);
  /// Requests the neighbour's MAC unless it is known or requested. Marks the entry as used.
  void resolve(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// Updates the entry from a message, like neigh_update.
  void update(const IpAddress& address, const Evidence& evidence, Picos now, ArpNdWriter& writer);
  /// Probes a known neighbour, unless it is being probed or has just answered.
  void doubt(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// Performs all actions that are due by `now`.
  void tick(Picos now, ArpNdWriter& writer);
  std::optional<Picos> next_deadline() const;

 private:
  enum class State : std::uint8_t {
    Incomplete,  ///< Requested and not known.
    Stale,       ///< Known from the neighbour's own messages, and not used.
    Delay,       ///< Used and not confirmed.
    Reachable,   ///< Confirmed.
    Probe,       ///< Used or doubted, and probed.
  };
  static constexpr Picos kNever{INT64_MIN};

  struct Kept {
    std::vector<std::uint8_t> bytes;
    Mark mark = 0;

    ToSend packet() const { return {bytes, mark}; }
  };
  struct Neighbour {
    State state = State::Incomplete;
    MacAddress mac;
    Picos updated;        ///< When the state or MAC last changed.
    Picos used = kNever;  ///< Time of the last use, in steps of a second.
    Picos deadline;       ///< Time of the entry's next action.
    int requests = 0;     ///< Requests sent in this state.
    std::list<Kept> kept;
    std::size_t kept_bytes = 0;  ///< Bytes of `kept`, with overhead.

    bool is_known() const { return state != State::Incomplete; }
    /// Returns the state of a neighbour that is known and not confirmed.
    State doubted() const { return used == kNever ? State::Stale : State::Delay; }
  };
  using Neighbours = std::map<IpAddress, Neighbour>;
  using Entry = Neighbours::iterator;
  using EvictionKey = std::tuple<Picos, Picos, IpAddress>;

  /// Key of the order of eviction: unused entries first.
  static EvictionKey eviction_key(const Entry& entry) {
    return {entry->second.used, entry->second.updated, entry->first};
  }
  /// Returns the entry, marked as used; end() if there is no room for it.
  Entry use(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// Creates an incomplete entry; returns end() if there is no room. `used` is `now` or kNever.
  Entry create(const IpAddress& address, Picos used, Picos now, ArpNdWriter& writer);
  bool make_room(bool is_used, Picos now, ArpNdWriter& writer);
  void erase(Entry entry, ArpNdWriter& writer);

  void keep(Entry entry, const ToSend& packet, ArpNdWriter& writer);
  /// Removes and returns the packets that wait for the neighbour.
  std::list<Kept> take_kept(Neighbour& neighbour);
  void send_request(Entry entry, Picos now, ArpNdWriter& writer);
  void expire(Entry entry, Picos now, ArpNdWriter& writer);
  /// Sets a neighbour's MAC and state, and sends its waiting packets.
  void settle(Entry entry, State state, const MacAddress& mac, Picos now, ArpNdWriter& writer);
  void set_state(Entry entry, State state, Picos now);
  /// Applies `change` to a neighbour and keeps `deadlines_` and `eviction_order_` in step.
  template <typename Change>
  void edit(Entry entry, Change change);

  std::size_t max_neighbours_;
  std::size_t max_queued_bytes_;
  bool keeps_known_mac_;
  std::size_t kept_ = 0;
  Neighbours neighbours_;
  std::set<std::pair<Picos, IpAddress>> deadlines_;  ///< Deadline of each neighbour.
  std::set<EvictionKey> eviction_order_;             ///< Key of each neighbour.
};

}  // namespace overlane::neighbour
