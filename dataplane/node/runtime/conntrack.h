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

// The connection table of a node (nf_conntrack and nf_nat): states, timeouts, NAT and the table's
// bound, and the states of TCP connections (nf_conntrack_proto_tcp.c). A ConntrackTable is a value.
// It belongs to a NodeRuntime, and so to one thread at a time. Nothing depends on the order of a
// hash table, so a run is repeatable.

/// The direction of a packet in its connection.
enum class Direction : std::uint8_t { Original, Reply };

/// State of a TCP connection as a middlebox sees it (enum tcp_conntrack).
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

/// Returns how long a connection in this state outlives its last packet (tcp_timeouts of
/// nf_conntrack_proto_tcp.c, the sysctls nf_conntrack_tcp_timeout_*).
Picos timeout(TcpState state);
/// The timeout of an established connection without packets of one direction
/// (nf_conntrack_tcp_timeout_unacknowledged).
inline constexpr Picos kTcpPickedUpTimeout = seconds(300);

/// Flag bits of the TCP header (RFC 9293 3.1) that connection tracking evaluates.
inline constexpr std::uint8_t kTrackedFin = 0x01;
inline constexpr std::uint8_t kTrackedSyn = 0x02;
inline constexpr std::uint8_t kTrackedRst = 0x04;
inline constexpr std::uint8_t kTrackedAck = 0x10;

/// The effect of a segment on its connection.
struct TcpStep {
  enum class Kind : std::uint8_t {
    Move,    ///< The connection changes to `state`.
    Ignore,  ///< The segment belongs to the connection and changes nothing.
    Invalid,
  };
  Kind kind = Kind::Invalid;
  TcpState state = TcpState::None;

  bool operator==(const TcpStep&) const = default;
};

/// Returns the transition for a segment with these flags (tcp_conntracks of
/// nf_conntrack_proto_tcp.c). In state None two segments open a connection: a SYN, or an ACK of a
/// connection that is already established (nf_conntrack_tcp_loose, on by default).
///
/// Sequence numbers and windows are not checked, as with nf_conntrack_tcp_be_liberal. So a segment
/// that Linux finds out of window is accepted here, every RST is accepted, and neither
/// unacknowledged data nor retransmissions shorten a timeout. A SYN that is ignored because the
/// connection seems open has no effect: its SYN+ACK does not restart the connection, and the
/// challenge ACK that answers it in LAST_ACK counts as the last ACK (RFC 5961).
TcpStep tcp_step(TcpState state, Direction direction, std::uint8_t flags);

/// Maximum number of connections: net.netfilter.nf_conntrack_max as kube-proxy sets it on nodes
/// with up to four cores (conntrack.min of KubeProxyConfiguration).
inline constexpr std::size_t kConntrackMax = 131'072;

/// Timeouts after a connection's last packet: nf_conntrack_udp_timeout,
/// nf_conntrack_udp_timeout_stream, nf_conntrack_icmp_timeout (and icmpv6) and
/// nf_conntrack_generic_timeout.
inline constexpr Picos kUdpTimeout = seconds(30);
inline constexpr Picos kUdpStreamTimeout = seconds(120);
inline constexpr Picos kIcmpTimeout = seconds(30);
inline constexpr Picos kGenericTimeout = seconds(600);
/// Age from which a UDP exchange counts as a stream (nf_conntrack_udp_packet).
inline constexpr Picos kUdpStreamAge = seconds(2);

/// One connection in the table.
struct Connection {
  Picos begin;
  Picos expires;
  ConntrackTuple original;  ///< Tuple of the connection's first packet.
  ConntrackTuple
      /// Tuple of the answers. It differs from the inverse of `original` if the connection is
      /// translated.
      reply;
  TcpState tcp = TcpState::None;
  bool seen_reply = false;
  /// There was traffic in both directions beyond the handshake: the entry is not dropped early.
  bool assured = false;
  bool closed = false;        ///< TCP: a FIN was seen, so a later SYN starts a new connection.
  bool simultaneous = false;  ///< TCP: both sides sent a SYN.
  std::optional<Direction> reset_by;  ///< TCP: sender of an RST, if that was the last segment.
  DeviceName masquerade_device;       ///< Egress device of a masqueraded connection; else empty.

  bool operator==(const Connection&) const = default;
};

/// State of a packet in connection tracking: the states of `-m conntrack --ctstate`.
enum class TrackState : std::uint8_t { Invalid, Untracked, New, Established, Related };

std::string_view to_string(TrackState state);

/// A packet's place in its connection.
struct Track {
  TrackState state = TrackState::Invalid;
  std::optional<Drop> drop;  ///< Reason to drop the packet: Drop::ConntrackFull.
  Direction direction = Direction::Original;
  /// Tuples of the connection. A new connection is not in the table before confirm().
  ConntrackTuple original;
  ConntrackTuple reply;

  /// Returns whether NAT changes addresses or ports of the connection.
  bool is_translated() const { return inverse(original) != reply; }
  bool is_tracked() const { return state != TrackState::Invalid && state != TrackState::Untracked; }
  /// Returns the packet's tuple after all translation; an ICMP error quotes its inverse. Requires
  /// is_tracked().
  ConntrackTuple translated() const;
  /// Returns whether NAT changes the packet's destination. That happens before routing and for
  /// packets that the node sends (PREROUTING, OUTPUT).
  bool changes_destination() const;
  /// Returns whether NAT changes the packet's source. That happens after routing and for packets to
  /// the node (POSTROUTING, INPUT).
  bool changes_source() const;

  /// True for a new connection between track() and confirm().
  bool is_unconfirmed = false;
  TcpState tcp = TcpState::None;
  DeviceName masquerade_device;
  /// The connection has kube-proxy's mark 0x4000 and has to be masqueraded.
  bool is_marked = false;
};

/// The connections of a node (nf_conntrack), with translation of addresses (nf_nat). These
/// functions handle a packet, in order:
///   track()       when it enters the node before routing, or when the node sends it;
///   redirect()    after track(), if it opens a connection to a Service;
///   masquerade()  after routing, if it opens a connection and a rule masquerades it;
///   confirm()     when it leaves or is delivered. This adds a new connection to the table.
///
/// The table is a bounded value, hashed by both tuples. Each packet costs two lookups; expiry
/// visits only entries that may have expired.
class ConntrackTable {
 public:
  ConntrackTable() = default;
  explicit ConntrackTable(std::size_t limit) : limit_(limit) {}

  /// Finds or creates the place of a packet in its connection. `tcp_flags` are the flags of a TCP
  /// segment. A full table evicts the oldest connection that is not assured (Linux searches eight
  /// buckets of its hash table for one: early_drop). Without one the result is Drop::ConntrackFull.
  Track track(const ConntrackTuple& packet, std::uint8_t tcp_flags, Picos now);
  /// First half of track(): finds the place of a packet of a known connection; nothing if the
  /// connection is not known.
  std::optional<Track> follow(const ConntrackTuple& packet, std::uint8_t tcp_flags, Picos now);
  /// Second half of track(), directly after a follow() without result: the place of a packet that
  /// opens a connection or is invalid.
  Track open(const ConntrackTuple& packet, std::uint8_t tcp_flags);
  /// Returns the place of an ICMP error to `destination` that quotes a packet of tuple `quoted`
  /// (nf_conntrack_inet_error): related to the quoted packet's connection, or invalid.
  Track track_error(const ConntrackTuple& quoted, IpAddress destination, Picos now);

  /// Changes the destination of an unconfirmed connection. If its answers could then be those of
  /// another connection, confirm() changes the source port.
  static void redirect(Track& track, IpAddress destination, std::uint16_t port);

  /// Chooses the source of an unconfirmed connection that leaves through `device`. Returns
  /// Drop::NatExhausted if no port is free.
  std::optional<Drop> masquerade(Track& track, const SourceTranslation& translation,
                                 DeviceName device) const;

  /// Adds an unconfirmed connection to the table. If its answers could be those of another
  /// connection, it gets another source port (nf_nat_alloc_null_binding); returns
  /// Drop::NatExhausted if none is free. `device` is the packet's egress device, empty if it is
  /// delivered to the node. If the egress device of a masqueraded connection has changed, deletes
  /// the connection and returns Drop::NatDeviceChanged (nf_nat_oif_changed).
  std::optional<Drop> confirm(Track& track, DeviceName device, Picos now);

  /// Deletes masqueraded connections for whose device and address `holds` returns false: the device
  /// went down or lost the address (nf_nat_masquerade.c, masq_device_event and masq_inet_event).
  void forget_masqueraded(const std::function<bool(DeviceName, IpAddress)>& holds);

  /// Deletes UDP connections to an endpoint of a Service for which `holds` returns false. Its
  /// arguments are the connection's original tuple and the endpoint's address. kube-proxy does so
  /// because continuing datagrams would otherwise go to the former endpoint for ever
  /// (CleanStaleEntries, pkg/proxy/conntrack/cleanup.go).
  void forget_endpoints(const std::function<bool(const ConntrackTuple&, IpAddress)>& holds);

  /// Starts to record changes. roll_back() restores the table as it was at the last checkpoint(),
  /// at the cost of the changes since then. keep() ends the recording without a change. With these,
  /// two executors can decide the same packet on one table without a copy of it.
  void checkpoint();
  void roll_back();
  void keep() { journal_.reset(); }
  /// Returns the connections that may have changed since the checkpoint, by original tuple: the
  /// connection as it is now, or nothing if it was deleted. Requires a checkpoint.
  std::map<ConntrackTuple, std::optional<Connection>> changes() const;

  /// Returns the number of packets that opened or referred to a connection, or followed one in
  /// another way than as a Repeat.
  std::uint64_t uses() const { return uses_.get(); }
  /// A packet whose only effect on its connection was a new expiry. An equal packet may be counted
  /// instead of tracked.
  struct Repeat {
    std::uint64_t connection = 0;
    std::uint32_t place = 0;    ///< Position in the table's storage.
    std::uint32_t changes = 0;  ///< Number of changes of the connection so far.
    Picos life;                 ///< Time from the packet to the connection's expiry.
    Picos until;                ///< Last time at which an equal packet has the same effect.

    bool operator==(const Repeat&) const = default;
  };
  /// A packet in a tunnel follows two connections.
  static constexpr std::size_t kMaxFollowed = 2;
  /// Connections followed since forget_followed(), at most kMaxFollowed. Further ones count in
  /// uses().
  std::span<const Repeat> followed() const { return {followed_.data(), followed_count_}; }
  void forget_followed() { followed_count_ = 0; }
  /// Returns whether an equal packet at `now` has the same effect.
  bool holds(const Repeat& repeat, Picos now) const {
    if (repeat.place >= slots_.size()) return false;
    const Slot& slot = slots_[repeat.place];
    return slot.id == repeat.connection && slot.changes == repeat.changes &&
           now < slot.connection.expires && now <= repeat.until;
  }
  /// Counts an equal packet at `now`. Requires holds().
  void count(const Repeat& repeat, Picos now) {
    if (journal_) note(repeat.connection);
    refresh(slots_[repeat.place], now + repeat.life);
  }
  /// Number of connections added so far. While it is unchanged, a packet without a connection still
  /// has none.
  std::uint64_t entered() const { return next_; }

  /// Number of connections when the last packet was tracked.
  std::size_t size() const { return places_.size(); }
  /// Returns the connections, sorted by original tuple.
  std::vector<Connection> connections() const;

  /// A position of visit(); the default is before the first connection.
  struct VisitPosition {
    Picos queued{INT64_MIN};
    std::uint64_t id = 0;
  };
  /// Calls `visitor` with up to `most` connections after a position, expired ones included. Returns
  /// the position of the last one; nothing at the end of the table. A caller may visit in steps
  /// while the table is in use. Together with changes() the steps cover every connection that was
  /// in the table all the time.
  std::optional<VisitPosition> visit(const VisitPosition& after, std::size_t most,
                                     const std::function<void(const Connection&)>& visitor) const;

  /// Compares the connections and the limit, not their history.
  bool operator==(const ConntrackTable& other) const;

 private:
  /// Connections are numbered in order of arrival; a number is never reused.
  using Id = std::uint64_t;
  struct alignas(64) Slot {
    Id id = 0;                  ///< 0: free.
    std::uint32_t changes = 0;  ///< Changes of the connection other than its expiry.
    Picos queued;               ///< Its key in `by_expiry_`, at or before `connection.expires`.
    Connection connection;
  };
  struct Hit {
    Id id = 0;
    Direction direction = Direction::Original;
  };
  template <typename Predicate>
  void forget_if(Predicate is_lost);

  /// A connection before a change; nothing if it was not in the table.
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
  std::unordered_map<Id, std::uint32_t> places_;  ///< Position of each connection in `slots_`.
  std::unordered_map<ConntrackTuple, Hit, ConntrackTupleHash> by_tuple_;
  std::set<std::pair<Picos, Id>> by_expiry_;  ///< One for each connection.
  std::set<Id> not_assured_;
  std::optional<Journal> journal_;
  UseCount uses_;
  std::array<Repeat, kMaxFollowed> followed_;
  std::size_t followed_count_ = 0;
  bool refreshed_ = false;  ///< True if the current packet has refreshed its connection.
};

/// Returns the table's connections as `conntrack -L` prints them at `now`.
std::string to_string(const ConntrackTable& table, Picos now);

}  // namespace overlane::node
