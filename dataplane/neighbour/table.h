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

// The neighbour table of a port (struct neighbour, RFC 4861 section 7.3): states, timers,
// packets that wait for an answer, bounds. The constants are Linux' defaults.

// Linux defaults: the parms of arp_tbl (net/ipv4/arp.c) and nd_tbl
// (net/ipv6/ndisc.c), which `sysctl net.ipv4.neigh.default` shows.

/// mcast_solicit and ucast_solicit: how often an address is asked for; retrans_time: how far apart.
inline constexpr int kMaxQuestions = 3;
inline constexpr Picos kRetransmit = seconds(1);
/// base_reachable_time. Linux draws from half to one and a half of it (neigh_rand_reach_time) so
/// that hosts which began together do not ask together; here it is what it is.
inline constexpr Picos kReachable = seconds(30);
/// delay_first_probe_time: how long an unconfirmed neighbour is used before it is asked.
inline constexpr Picos kDelay = seconds(5);
/// gc_stale_time: how long an unused entry is kept.
inline constexpr Picos kStale = seconds(60);
/// locktime of ARP: of several answers the first one counts (arp_process).
inline constexpr Picos kLock = seconds(1);

/// For which addresses a port says that they are here.
struct Answers {
  /// Its own addresses of both families. The first one of a family is what it asks from, unless the
  /// packet that waits comes from another of them; neighbour discovery prefers a link-local one
  /// (arp_solicit with arp_announce 0, ndisc_solicit).
  std::vector<IpAddress> own;
  /// Answers ARP for every other address too, as Felix sets it on the host's end of each pod's
  /// veth. IPv6 has no such thing: list what pods ask for.
  bool proxy_arp = false;
};

struct Settings {
  /// MAC address of the port. The port also has the link-local address made of it (link_local()),
  /// unless Answers lists another.
  MacAddress mac;
  Answers answers;
  /// gc_thresh3, which Linux has for each family and all devices together.
  std::size_t most_neighbours = 1024;
  /// unres_qlen_bytes: what is kept for each neighbour that is being asked for. Each packet counts
  /// with kPacketOverhead.
  std::size_t most_kept_bytes = 212'992;
  /// For a link whose neighbours do not trust each other: an address stays with the one that has it
  /// for as long as that one answers. What another MAC says of it is a doubt, as Link::doubt().
  bool holds_on = false;
};

/// SKB_TRUESIZE of nothing, on x86-64 (include/linux/skbuff.h).
inline constexpr std::size_t kPacketOverhead = 576;

/// What a message says about the neighbour that has an address.
struct Evidence {
  /// Whether the message replaces another known MAC.
  enum class Override : std::uint8_t {
    Weak,       ///< No, but a confirmed one is doubted from now on (RFC 4861 7.2.5).
    AfterLock,  ///< Only when what is known is older than kLock.
    Yes,
  };

  std::optional<MacAddress> mac;  ///< Nothing: the one that is known.
  bool confirms = false;          ///< It answers what was asked.
  Override overrides = Override::Weak;
  bool creates = false;  ///< It is worth an entry when there is none.
};

/// The neighbours of a link, each in one of the states of RFC 4861 7.3.2 as far as they show
/// (net/core/neighbour.c). A neighbour that does not answer is removed: there is no FAILED state.
class Table {
 public:
  explicit Table(const Settings& settings)
      : most_neighbours_(settings.most_neighbours),
        most_kept_bytes_(settings.most_kept_bytes),
        holds_on_(settings.holds_on) {}

  std::optional<MacAddress> find(const IpAddress& address) const;
  template <typename Visit>
  void for_each_known(Visit visit) const {
    for (const auto& [address, neighbour] : neighbours_)
      if (neighbour.is_known()) visit(address, neighbour.mac);
  }
  bool has(const IpAddress& address) const { return neighbours_.contains(address); }
  std::size_t size() const { return neighbours_.size(); }

  /// How many packets wait.
  std::size_t kept() const { return kept_; }
  /// Leaves them undelivered.
  void give_up(LinkEvents& events);

  /// Sends the packet, or keeps it and asks.
  void send(const IpAddress& to, const ToSend& packet, Picos now, ArpNdWriter& writer);
  /// Asks unless there is an entry.
  void want(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// Believes a message as far as neigh_update does.
  void hear(const IpAddress& address, const Evidence& evidence, Picos now, ArpNdWriter& writer);
  /// Asks one that is known, unless it is being asked, or has just answered.
  void doubt(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// Does what is due.
  void tick(Picos now, ArpNdWriter& writer);
  std::optional<Picos> next_deadline() const;

 private:
  enum class State : std::uint8_t {
    Incomplete,  ///< Asked for and not known.
    Stale,       ///< Known from what it said of itself, and not used.
    Delay,       ///< Used without being confirmed.
    Reachable,   ///< Confirmed.
    Probe,       ///< Used or doubted, and asked whether it is still there.
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
    Picos used = kNever;  ///< When it was last sent to or wanted, to the second.
    Picos deadline;       ///< When something is to be done about it.
    int questions = 0;    ///< Asked in this state.
    std::list<Kept> kept;
    std::size_t kept_bytes = 0;  ///< Bytes of `kept`, with overhead.

    bool is_known() const { return state != State::Incomplete; }
    /// What it becomes when it is known and not confirmed.
    State doubted() const { return used == kNever ? State::Stale : State::Delay; }
  };
  using Neighbours = std::map<IpAddress, Neighbour>;
  using Entry = Neighbours::iterator;
  using Turn = std::tuple<Picos, Picos, IpAddress>;

  /// In the order of eviction: unused ones first.
  static Turn turn(const Entry& entry) {
    return {entry->second.used, entry->second.updated, entry->first};
  }
  /// The entry, marked as used; end() when there is no room for it.
  Entry use(const IpAddress& address, Picos now, ArpNdWriter& writer);
  /// An incomplete one, or end(). `used` is now or kNever.
  Entry create(const IpAddress& address, Picos used, Picos now, ArpNdWriter& writer);
  bool make_room(bool is_used, Picos now, ArpNdWriter& writer);
  void erase(Entry entry, ArpNdWriter& writer);

  void keep(Entry entry, const ToSend& packet, ArpNdWriter& writer);
  /// What the entry keeps, which keeps nothing then.
  std::list<Kept> take_kept(Neighbour& neighbour);
  void ask(Entry entry, Picos now, ArpNdWriter& writer);
  void expire(Entry entry, Picos now, ArpNdWriter& writer);
  /// Makes a neighbour known, from now on or still.
  void settle(Entry entry, State state, const MacAddress& mac, Picos now, ArpNdWriter& writer);
  void set_state(Entry entry, State state, Picos now);
  /// Changes anything of a neighbour.
  template <typename Change>
  void edit(Entry entry, Change change);

  std::size_t most_neighbours_;
  std::size_t most_kept_bytes_;
  bool holds_on_;
  std::size_t kept_ = 0;
  Neighbours neighbours_;
  std::set<std::pair<Picos, IpAddress>> deadlines_;  ///< Deadline of each neighbour.
  std::set<Turn> turns_;                             ///< Turn of each neighbour.
};

}  // namespace overlane::neighbour
