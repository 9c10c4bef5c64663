#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/node/state/device.h"
#include "dataplane/node/state/generation.h"

namespace overlane::node {

// The connection table of a node (nf_conntrack and nf_nat): states, timeouts, NAT and its bound,
// and the states of TCP connections (nf_conntrack_proto_tcp.c). It is a value that belongs to a
// NodeRuntime, and so to one thread at a time; nothing depends on the order of a hash table, so
// that runs repeat.

/// Which way a packet of a connection goes.
enum class Direction : std::uint8_t { Original, Reply };

/// How far a TCP connection is as a middle box sees it (enum tcp_conntrack).
enum class TcpState : std::uint8_t {
  None,
  SynSent,
  SynRecv,
  Established,
  FinWait,
  CloseWait,
  LastAck,
  TimeWait,
  Close,
  SynSent2,  ///< Both sides sent a SYN.
};

std::string_view to_string(TcpState state);

/// How long a connection in this state outlives its last packet (tcp_timeouts of
/// nf_conntrack_proto_tcp.c, the sysctls nf_conntrack_tcp_timeout_*).
Picos timeout(TcpState state);
/// The timeout of an established connection of which only one side was seen
/// (nf_conntrack_tcp_timeout_unacknowledged).
inline constexpr Picos kTcpPickedUpTimeout = seconds(300);

/// Bits of the TCP header's flags (RFC 9293 3.1) that connection tracking looks at.
inline constexpr std::uint8_t kTrackedFin = 0x01;
inline constexpr std::uint8_t kTrackedSyn = 0x02;
inline constexpr std::uint8_t kTrackedRst = 0x04;
inline constexpr std::uint8_t kTrackedAck = 0x10;

/// What a segment does to its connection.
struct TcpStep {
  enum class Kind : std::uint8_t {
    Move,    ///< The connection is in `state` now.
    Ignore,  ///< Passes as a packet of the connection and changes nothing.
    Invalid,
  };
  Kind kind = Kind::Invalid;
  TcpState state = TcpState::None;

  bool operator==(const TcpStep&) const = default;
};

/// The transition table of nf_conntrack_proto_tcp.c (tcp_conntracks), for a segment with these
/// flags. A segment in state None may open a connection: a SYN, or (nf_conntrack_tcp_loose, on by
/// default) an ACK of one that is under way already.
///
/// Sequence numbers and windows are not checked, as with nf_conntrack_tcp_be_liberal: what Linux
/// finds out of window is in its window here, every RST fits, and neither unacknowledged data nor
/// retransmissions shorten a timeout. A SYN that is ignored because the connection seems open
/// leaves no trace: its SYN+ACK does not start the connection anew, and the challenge ACK that
/// answers it in LAST_ACK counts as the last one (RFC 5961).
TcpStep tcp_step(TcpState state, Direction direction, std::uint8_t flags);

/// net.netfilter.nf_conntrack_max as kube-proxy sets it on nodes of up to four cores
/// (conntrack.min of KubeProxyConfiguration).
inline constexpr std::size_t kConntrackMax = 131'072;

/// nf_conntrack_udp_timeout, nf_conntrack_udp_timeout_stream, nf_conntrack_icmp_timeout (and
/// icmpv6) and nf_conntrack_generic_timeout.
inline constexpr Picos kUdpTimeout = seconds(30);
inline constexpr Picos kUdpStreamTimeout = seconds(120);
inline constexpr Picos kIcmpTimeout = seconds(30);
inline constexpr Picos kGenericTimeout = seconds(600);
/// How old a UDP exchange must be to count as a stream (nf_conntrack_udp_packet).
inline constexpr Picos kUdpStreamAge = seconds(2);

/// One connection that a node keeps track of.
struct Connection {
  Picos begin;
  Picos expires;
  ConntrackTuple original;  ///< Tuple of the connection's first packet.
  ConntrackTuple
      reply;  ///< Tuple of the answers; not the inverse of `original` when it is translated.
  TcpState tcp = TcpState::None;
  bool seen_reply = false;
  bool assured = false;       ///< Traffic both ways beyond the handshake: not dropped early.
  bool closed = false;        ///< TCP: a FIN was seen, so a later SYN starts a new connection.
  bool simultaneous = false;  ///< TCP: both sides sent a SYN.
  std::optional<Direction> reset_by;  ///< TCP: who sent an RST, when that was the last segment.
  DeviceName masquerade_device;       ///< Where it leaves, when it is masqueraded.

  bool operator==(const Connection&) const = default;
};

/// What a packet is to the connection table: the states of `-m conntrack --ctstate`.
enum class TrackState : std::uint8_t { Invalid, Untracked, New, Established, Related };

std::string_view to_string(TrackState state);

/// A packet's place in its connection.
struct Track {
  TrackState state = TrackState::Invalid;
  std::optional<Drop> drop;  ///< Drop::ConntrackFull.
  Direction direction = Direction::Original;
  /// Tuples of the connection; those of a new one are not in the table before confirm().
  ConntrackTuple original;
  ConntrackTuple reply;

  /// Whether the connection's two sides know each other by different addresses or ports.
  bool is_translated() const { return inverse(original) != reply; }
  bool is_tracked() const { return state != TrackState::Invalid && state != TrackState::Untracked; }
  /// The packet's tuple behind all translation; an ICMP error quotes its inverse. Only when
  /// tracked.
  ConntrackTuple translated() const;
  /// Which parts of translated() the packet gets before routing and where the node sends it
  /// (PREROUTING, OUTPUT) …
  bool changes_destination() const;
  /// … and after routing and where the node takes it (POSTROUTING, INPUT).
  bool changes_source() const;

  /// Set by track() for what confirm() will enter.
  bool is_unconfirmed = false;
  TcpState tcp = TcpState::None;
  DeviceName masquerade_device;
  bool is_marked = false;  ///< To be masqueraded: kube-proxy's mark 0x4000.
};

/// The connections of a node (nf_conntrack), with translation of addresses (nf_nat). A packet
/// passes
///   track()       where it enters the node: before routing, or when it is sent;
///   redirect()    right behind it, when it opens a connection to a Service;
///   masquerade()  after routing, when it opens a connection and a rule says so;
///   confirm()     where it leaves or is delivered: only now a new connection is in the table.
///
/// A value: hashed by both tuples, bounded, and nothing depends on the order of a hash table. Each
/// packet costs two lookups; expiry looks only at what may have expired.
class ConntrackTable {
 public:
  ConntrackTable() = default;
  explicit ConntrackTable(std::size_t limit) : limit_(limit) {}

  /// `tcp_flags` are those of a TCP segment. A full table makes room by forgetting the oldest
  /// connection that is not assured (Linux looks for one in eight buckets of its hash table:
  /// early_drop), else says Drop::ConntrackFull.
  Track track(const ConntrackTuple& packet, std::uint8_t tcp_flags, Picos now);
  /// track() in two halves: follow() finds the place of a packet of a known connection, else
  /// nothing …
  std::optional<Track> follow(const ConntrackTuple& packet, std::uint8_t tcp_flags, Picos now);
  /// … and, right behind it, of one that opens a connection or is invalid.
  Track open(const ConntrackTuple& packet, std::uint8_t tcp_flags);
  /// The place of an ICMP error sent to `destination` that quotes a packet of tuple `quoted`
  /// (nf_conntrack_inet_error): related to the quoted packet's connection, or invalid.
  Track track_error(const ConntrackTuple& quoted, IpAddress destination, Picos now);

  /// Gives an unconfirmed connection another destination. Should answers not be told apart from
  /// another connection's then, confirm() changes the source port.
  static void redirect(Track& track, IpAddress destination, std::uint16_t port);

  /// Chooses the source of an unconfirmed connection that leaves through `device`.
  /// Drop::NatExhausted when no port is free.
  std::optional<Drop> masquerade(Track& track, const SourceTranslation& translation,
                                 DeviceName device) const;

  /// Enters an unconfirmed connection. One that answers could not tell from another gets another
  /// source port (nf_nat_alloc_null_binding), or Drop::NatExhausted. `device` is where the packet
  /// leaves, empty when it is delivered here: a masqueraded connection is forgotten and the packet
  /// dropped when that has changed (nf_nat_oif_changed: Drop::NatDeviceChanged).
  std::optional<Drop> confirm(Track& track, DeviceName device, Picos now);

  /// Forgets what is masqueraded through a device, and as an address, that `holds` denies: the
  /// device went down or lost the address (nf_nat_masquerade.c, masq_device_event and
  /// masq_inet_event).
  void forget_masqueraded(const std::function<bool(DeviceName, IpAddress)>& holds);

  /// Forgets UDP connections to an endpoint of a Service that `holds` denies, by the Service's port
  /// and the endpoint's address: as kube-proxy does, since datagrams would go there for as long as
  /// they keep coming (CleanStaleEntries, pkg/proxy/conntrack/cleanup.go).
  void forget_endpoints(const std::function<bool(const ConntrackTuple&, IpAddress)>& holds);

  /// roll_back() leaves the table as it was at the last checkpoint(), at the cost of what changed
  /// since: so two executors can decide the same packet on one table without a copy of it. A table
  /// remembers changes from checkpoint() to roll_back() or keep().
  void checkpoint();
  void roll_back();
  void keep() { journal_.reset(); }
  /// What is not as it was at the checkpoint, or may not be, by original tuple: the connection as
  /// it is now, or nothing when it is gone.
  std::map<ConntrackTuple, std::optional<Connection>> changes() const;

  /// Counts the packets that open or refer to a connection, or follow one other than as a Repeat.
  std::uint64_t uses() const { return uses_.get(); }
  /// A packet that changed nothing of its connection but when it expires: one like it may be
  /// counted without being tracked.
  struct Repeat {
    std::uint64_t connection = 0;
    std::uint32_t place = 0;    ///< Where the table holds it.
    std::uint32_t changes = 0;  ///< Changes of the connection until then.
    Picos life;                 ///< After the packet.
    Picos until;                ///< Later packets may mean more.

    bool operator==(const Repeat&) const = default;
  };
  /// A packet in a tunnel follows two.
  static constexpr std::size_t kMaxFollowed = 2;
  /// Connections that were followed since forget_followed(), at most kMaxFollowed: the others are
  /// uses.
  std::span<const Repeat> followed() const { return {followed_.data(), followed_count_}; }
  void forget_followed() { followed_count_ = 0; }
  /// Whether a packet like it is one, too, and …
  bool holds(const Repeat& repeat, Picos now) const {
    if (repeat.place >= slots_.size()) return false;
    const Slot& slot = slots_[repeat.place];
    return slot.id == repeat.connection && slot.changes == repeat.changes &&
           now < slot.connection.expires && now <= repeat.until;
  }
  /// … counts it then.
  void count(const Repeat& repeat, Picos now) {
    if (journal_) note(repeat.connection);
    refresh(slots_[repeat.place], now + repeat.life);
  }
  /// Number of connections entered so far. While it is unchanged, a packet without a connection
  /// still has none.
  std::uint64_t entered() const { return next_; }

  /// How many connections lived when the last packet was tracked.
  std::size_t size() const { return places_.size(); }
  /// The connections, sorted by original tuple.
  std::vector<Connection> connections() const;

  /// Where visit() has got to; the default is before the first connection.
  struct Place {
    Picos queued{INT64_MIN};
    std::uint64_t id = 0;
  };
  /// Shows `visitor` up to `most` connections behind a place, expired ones among them, and returns
  /// the place of the last; nothing when there are no more. Whoever goes on from place to place
  /// while the table is in use has at the end seen every connection that was there all the time and
  /// that no changes() told of since.
  std::optional<Place> visit(const Place& after, std::size_t most,
                             const std::function<void(const Connection&)>& visitor) const;

  /// By what is held, however it came to be.
  bool operator==(const ConntrackTable& other) const;

 private:
  /// Connections are numbered as they come; a number is never used again.
  using Id = std::uint64_t;
  struct alignas(64) Slot {
    Id id = 0;                  ///< 0: free.
    std::uint32_t changes = 0;  ///< Changes of more than the connection's expiry.
    Picos queued;               ///< Its place in `by_expiry_`, at or before `connection.expires`.
    Connection connection;
  };
  struct Hit {
    Id id = 0;
    Direction direction = Direction::Original;
  };
  template <typename Predicate>
  void forget_if(Predicate is_lost);

  /// What a connection was before a change; nothing when it was not there.
  struct Image {
    Id id = 0;
    std::optional<Slot> before;
  };
  struct Journal {
    Id next = 0;
    std::vector<Image> images;
  };
  enum class TcpOutcome : std::uint8_t { Passes, Invalid, Reopens };

  std::optional<Track> follow(const Hit& hit, const ConntrackTuple& packet, std::uint8_t tcp_flags,
                              Picos now);
  void note_change(Id id, const Connection& before, Picos now);
  TcpOutcome advance_tcp(const Hit& hit, std::uint8_t flags, Picos now);
  void advance(Id id, Picos now);
  bool is_taken(const ConntrackTuple& tuple) const { return by_tuple_.contains(tuple); }
  const Slot* find(Id id) const {
    const auto at = places_.find(id);
    return at == places_.end() ? nullptr : &slots_[at->second];
  }
  Slot& at(Id id) { return slots_[places_.at(id)]; }
  const Slot& at(Id id) const { return slots_[places_.at(id)]; }
  void refresh(Slot& slot, Picos expires) {
    slot.connection.expires = expires;
    refreshed_ = true;
    if (expires < slot.queued) queue_earlier(slot);
  }
  void queue_earlier(Slot& slot);
  void assure(Connection& connection, Id id);
  bool make_room();
  void note(Id id);
  void insert(Slot slot);
  void retire(Picos now);
  void erase(Id id);

  std::size_t limit_ = kConntrackMax;
  Id next_ = 1;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;               ///< Free places of `slots_`.
  std::unordered_map<Id, std::uint32_t> places_;  ///< In `slots_`, of each connection.
  std::unordered_map<ConntrackTuple, Hit, ConntrackTupleHash> by_tuple_;
  std::set<std::pair<Picos, Id>> by_expiry_;  ///< One for each connection.
  std::set<Id> not_assured_;
  std::optional<Journal> journal_;
  UseCount uses_;
  std::array<Repeat, kMaxFollowed> followed_;
  std::size_t followed_count_ = 0;
  bool refreshed_ = false;  ///< By the packet that is followed.
};

/// Its connections as `conntrack -L` prints them at `now`.
std::string to_string(const ConntrackTable& table, Picos now);

}  // namespace overlane::node
