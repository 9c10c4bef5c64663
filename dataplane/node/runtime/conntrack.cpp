#include "dataplane/node/runtime/conntrack.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <tuple>

#include <fmt/format.h>

namespace overlane::node {
namespace {

struct StateFacts {
  std::string_view name;
  Picos timeout;
};
constexpr std::array kStates = {
    StateFacts{"NONE", {}},
    StateFacts{"SYN_SENT", seconds(120)},
    StateFacts{"SYN_RECV", seconds(60)},
    StateFacts{"ESTABLISHED", seconds(5 * 24 * 3600)},
    StateFacts{"FIN_WAIT", seconds(120)},
    StateFacts{"CLOSE_WAIT", seconds(60)},
    StateFacts{"LAST_ACK", seconds(30)},
    StateFacts{"TIME_WAIT", seconds(120)},
    StateFacts{"CLOSE", seconds(10)},
    StateFacts{"SYN_SENT2", seconds(120)},
};

/// Kind of a segment, by its decisive flag. segment() has the precedence of the flags.
enum class Segment : std::uint8_t { Syn, SynAck, Fin, Ack, Rst };

Segment segment(std::uint8_t flags) {
  if ((flags & kTrackedRst) != 0) return Segment::Rst;
  if ((flags & kTrackedSyn) != 0)
    return (flags & kTrackedAck) != 0 ? Segment::SynAck : Segment::Syn;
  return (flags & kTrackedFin) != 0 ? Segment::Fin : Segment::Ack;
}

/// Returns whether the flags are valid: SYN, SYN+ACK, RST, RST+ACK, FIN+ACK or ACK, with any PSH,
/// URG, ECE and CWR (tcp_valid_flags).
bool is_possible(std::uint8_t flags) {
  const unsigned decisive = flags & (kTrackedSyn | kTrackedFin | kTrackedRst);
  const bool ack = (flags & kTrackedAck) != 0;
  switch (decisive) {
    case 0:
    case kTrackedFin:
      return ack;
    case kTrackedSyn:
    case kTrackedRst:
      return true;
    default:
      return false;
  }
}

/// Result of a segment, one character for each TcpState in order: a digit is the next TcpState, `i`
/// means ignored, `-` invalid.
using Row = std::string_view;
constexpr std::array<std::array<Row, 5>, 2> kSteps = {{
    {
        "11iiiii119",  // SYN
        "--2------2",  // SYN+ACK
        "--4466678-",  // FIN
        "3-3355778-",  // ACK
        "-888888888",  // RST
    },
    {
        "-9-----1-9",
        "-2iiiiiii2",
        "--4466678-",
        "-i2355778i",
        "-888888888",
    },
}};

}  // namespace

std::string_view to_string(TcpState state) {
  return kStates[static_cast<std::size_t>(state)].name;
}

Picos timeout(TcpState state) {
  return kStates[static_cast<std::size_t>(state)].timeout;
}

TcpStep tcp_step(TcpState state, Direction direction, std::uint8_t flags) {
  if (!is_possible(flags)) return {};
  const Row row =
      kSteps[static_cast<std::size_t>(direction)][static_cast<std::size_t>(segment(flags))];
  const char next = row[static_cast<std::size_t>(state)];
  if (next == '-') return {};
  if (next == 'i') return {TcpStep::Kind::Ignore, state};
  return {TcpStep::Kind::Move, static_cast<TcpState>(next - '0')};
}

namespace {

/// Returns the timeout after a connection's first packet.
Picos first_timeout(std::uint8_t protocol, TcpState tcp) {
  switch (protocol) {
    case kTrackedTcp:
      return tcp == TcpState::Established ? kTcpPickedUpTimeout : timeout(tcp);
    case kTrackedUdp:
      return kUdpTimeout;
    case kTrackedIcmp:
    case kTrackedIcmpv6:
      return kIcmpTimeout;
    default:
      return kGenericTimeout;
  }
}

std::string_view protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case kTrackedIcmp:
      return "icmp";
    case kTrackedTcp:
      return "tcp";
    case kTrackedUdp:
      return "udp";
    case kTrackedIcmpv6:
      return "icmpv6";
    default:
      return "unknown";
  }
}

std::string to_string(const Connection& connection, Picos now) {
  const std::uint8_t protocol = connection.original.protocol;
  const std::int64_t left = (connection.expires - now).whole_nanoseconds() / 1'000'000'000;
  std::string text = fmt::format("{:<8} {} {}", protocol_name(protocol), protocol, left);
  if (protocol == kTrackedTcp) text += fmt::format(" {}", to_string(connection.tcp));
  text += ' ' + to_string(connection.original);
  if (!connection.seen_reply) text += " [UNREPLIED]";
  text += ' ' + to_string(connection.reply);
  if (connection.assured) text += " [ASSURED]";
  return text + '\n';
}

}  // namespace

ConntrackTuple Track::translated() const {
  return *inverse(direction == Direction::Original ? reply : original);
}

bool Track::changes_destination() const {
  const ConntrackTuple seen = *inverse(reply);
  return direction == Direction::Original
             ? std::tie(seen.destination, seen.destination_port) !=
                   std::tie(original.destination, original.destination_port)
             : std::tie(seen.source, seen.source_port) !=
                   std::tie(original.source, original.source_port);
}

bool Track::changes_source() const {
  Track other = *this;
  other.direction = direction == Direction::Original ? Direction::Reply : Direction::Original;
  return other.changes_destination();
}

Track ConntrackTable::track(const ConntrackTuple& packet, std::uint8_t tcp_flags, Picos now) {
  if (const auto known = follow(packet, tcp_flags, now)) return *known;
  return open(packet, tcp_flags);
}

std::optional<Track> ConntrackTable::follow(const ConntrackTuple& packet, std::uint8_t tcp_flags,
                                            Picos now) {
  retire(now);
  const auto known = by_tuple_.find(packet);
  if (known == by_tuple_.end()) return std::nullopt;

  const Hit hit = known->second;
  const Connection before = at(hit.id).connection;
  refreshed_ = false;
  const std::optional<Track> track = follow(hit, packet, tcp_flags, now);
  note_change(hit.id, before, now);
  return track;
}

/// Records whether the packet that was just followed is a Repeat.
void ConntrackTable::note_change(Id id, const Connection& before, Picos now) {
  const auto place = places_.find(id);
  if (place == places_.end()) return uses_.add();
  Slot& slot = slots_[place->second];
  Connection same = before;
  same.expires = slot.connection.expires;
  const bool changed = slot.connection != same;
  if (changed) ++slot.changes;
  if (changed || !refreshed_ || followed_count_ == kMaxFollowed) return uses_.add();
  // A datagram after that time turns the connection into a stream.
  const Picos stream = before.begin + kUdpStreamAge;
  const bool ages = before.original.protocol == kTrackedUdp && before.seen_reply && now <= stream;
  followed_[followed_count_++] = {.connection = id,
                                  .place = place->second,
                                  .changes = slot.changes,
                                  .life = slot.connection.expires - now,
                                  .until = ages ? stream : Picos{INT64_MAX}};
}

std::optional<Track> ConntrackTable::follow(const Hit& hit, const ConntrackTuple& packet,
                                            std::uint8_t tcp_flags, Picos now) {
  Connection& connection = at(hit.id).connection;
  const bool is_reply = hit.direction == Direction::Reply;
  const Track track{
      .state = is_reply || connection.seen_reply ? TrackState::Established : TrackState::New,
      .direction = hit.direction,
      .original = connection.original,
      .reply = connection.reply};
  if (packet.protocol != kTrackedTcp) {
    advance(hit.id, now);
    connection.seen_reply = connection.seen_reply || is_reply;
    return track;
  }
  switch (advance_tcp(hit, tcp_flags, now)) {
    case TcpOutcome::Passes:
      return track;
    case TcpOutcome::Invalid:
      return Track{};
    case TcpOutcome::Reopens:
      erase(hit.id);
      return open(packet, tcp_flags);
  }
  return std::nullopt;
}

Track ConntrackTable::track_error(const ConntrackTuple& quoted, IpAddress destination, Picos now) {
  retire(now);
  uses_.add();
  const auto answer = inverse(quoted);
  const auto at = answer ? by_tuple_.find(*answer) : by_tuple_.end();
  if (at == by_tuple_.end() || at->first.destination != destination) return {};
  const Connection& connection = this->at(at->second.id).connection;
  return {.state = TrackState::Related,
          .direction = at->second.direction,
          .original = connection.original,
          .reply = connection.reply};
}

Track ConntrackTable::open(const ConntrackTuple& packet, std::uint8_t tcp_flags) {
  uses_.add();
  if (is_untracked_icmpv6(packet)) return {.state = TrackState::Untracked};
  const auto reply = inverse(packet);
  if (!reply || !opens_connection(packet)) return {};
  TcpState tcp = TcpState::None;
  if (packet.protocol == kTrackedTcp) {
    const TcpStep step = tcp_step(tcp, Direction::Original, tcp_flags);
    if (step.kind != TcpStep::Kind::Move) return {};
    tcp = step.state;
  }
  Track track{.state = TrackState::New,
              .original = packet,
              .reply = *reply,
              .is_unconfirmed = true,
              .tcp = tcp};
  if (!make_room()) track.drop = Drop::ConntrackFull;
  return track;
}

void ConntrackTable::redirect(Track& track, IpAddress destination, std::uint16_t port) {
  assert(track.is_unconfirmed);
  track.reply.source = destination;
  track.reply.source_port = port;
}

std::optional<Drop> ConntrackTable::masquerade(Track& track, const SourceTranslation& translation,
                                               DeviceName device) const {
  assert(track.is_unconfirmed);
  const ConntrackTuple redirected = *inverse(track.reply);
  const auto seen = translate_source(redirected, translation, [&](const ConntrackTuple& tuple) {
    return is_taken(*inverse(tuple));
  });
  if (!seen) return Drop::NatExhausted;
  track.reply = *inverse(*seen);
  track.masquerade_device = device;
  return std::nullopt;
}

std::optional<Drop> ConntrackTable::confirm(Track& track, DeviceName device, Picos now) {
  if (!track.is_tracked()) return std::nullopt;
  if (!track.is_unconfirmed) {
    if (device.empty() || track.direction == Direction::Reply || !track.is_translated()) {
      return std::nullopt;
    }
    const auto at = by_tuple_.find(track.original);
    if (at == by_tuple_.end()) return std::nullopt;
    const Id id = at->second.id;
    const DeviceName begun = this->at(id).connection.masquerade_device;
    if (begun.empty() || begun == device) return std::nullopt;
    erase(id);
    return Drop::NatDeviceChanged;
  }

  if (is_taken(track.reply)) {
    const auto drop = masquerade(track, {.source = track.original.source}, {});
    if (drop) return drop;
  }
  const Id id = next_++;
  const Picos expires = now + first_timeout(track.original.protocol, track.tcp);
  insert({.id = id,
          .queued = expires,
          .connection = {.begin = now,
                         .expires = expires,
                         .original = track.original,
                         .reply = track.reply,
                         .tcp = track.tcp,
                         .masquerade_device = track.masquerade_device}});
  track.is_unconfirmed = false;
  return std::nullopt;
}

ConntrackTable::TcpOutcome ConntrackTable::advance_tcp(const Hit& hit, std::uint8_t flags,
                                                       Picos now) {
  note(hit.id);
  Slot& slot = at(hit.id);
  Connection& connection = slot.connection;
  const TcpState before = connection.tcp;
  TcpStep step = tcp_step(before, hit.direction, flags);
  if (step.kind == TcpStep::Kind::Invalid) return TcpOutcome::Invalid;

  const bool was_closed = before == TcpState::TimeWait || before == TcpState::Close;
  if (step.state == TcpState::SynSent && was_closed) {
    if (connection.closed || connection.reset_by == hit.direction) return TcpOutcome::Reopens;
    step.kind = TcpStep::Kind::Ignore;
  }
  // The transition table does not have this case of a simultaneous open (nf_conntrack_tcp_packet).
  connection.simultaneous = connection.simultaneous || step.state == TcpState::SynSent2;
  const bool is_ack = (flags & (kTrackedSyn | kTrackedFin | kTrackedRst)) == 0;
  if (step.state == TcpState::SynRecv && hit.direction == Direction::Reply && is_ack &&
      connection.simultaneous) {
    step.state = TcpState::Established;
  }
  const bool seen_reply = connection.seen_reply;
  connection.seen_reply = seen_reply || hit.direction == Direction::Reply;
  connection.reset_by.reset();
  if (step.kind == TcpStep::Kind::Ignore) return TcpOutcome::Passes;

  connection.tcp = step.state;
  connection.closed = connection.closed || step.state == TcpState::FinWait;
  const bool is_reset = (flags & kTrackedRst) != 0;
  if (is_reset) {
    connection.reset_by = hit.direction;
    if (!seen_reply) {
      erase(hit.id);
      return TcpOutcome::Passes;
    }
  }
  // A retransmitted SYN does not extend the life of the entry and its port.
  const bool is_bare_syn = (flags & (kTrackedSyn | kTrackedAck | kTrackedRst)) == kTrackedSyn;
  if (!seen_reply && is_bare_syn && before == TcpState::SynSent) return TcpOutcome::Passes;

  Picos life = is_reset ? timeout(TcpState::Close) : timeout(step.state);
  if (step.state == TcpState::Established) {
    if (!seen_reply) {
      life = kTcpPickedUpTimeout;
    } else if (before == TcpState::SynRecv || before == TcpState::Established) {
      assure(connection, hit.id);
    }
  }
  refresh(slot, now + life);
  return TcpOutcome::Passes;
}

void ConntrackTable::advance(Id id, Picos now) {
  note(id);
  Slot& slot = at(id);
  Connection& connection = slot.connection;
  Picos life = first_timeout(connection.original.protocol, TcpState::None);
  if (connection.original.protocol == kTrackedUdp && connection.seen_reply &&
      now > connection.begin + kUdpStreamAge) {
    life = kUdpStreamTimeout;
    assure(connection, id);
  }
  refresh(slot, now + life);
}

template <typename Predicate>
void ConntrackTable::forget_if(Predicate is_lost) {
  std::vector<Id> gone;
  for (const auto& [id, place] : places_)
    if (is_lost(slots_[place].connection)) gone.push_back(id);
  for (const Id id : gone)
    erase(id);
}

void ConntrackTable::forget_masqueraded(const std::function<bool(DeviceName, IpAddress)>& holds) {
  forget_if([&](const Connection& connection) {
    return !connection.masquerade_device.empty() &&
           !holds(connection.masquerade_device, connection.reply.destination);
  });
}

void ConntrackTable::forget_endpoints(
    const std::function<bool(const ConntrackTuple&, IpAddress)>& holds) {
  forget_if([&](const Connection& connection) {
    const ConntrackTuple& original = connection.original;
    const ConntrackTuple& reply = connection.reply;
    return original.protocol == kTrackedUdp && original.destination != reply.source &&
           !holds(original, reply.source);
  });
}

void ConntrackTable::queue_earlier(Slot& slot) {
  by_expiry_.erase({slot.queued, slot.id});
  slot.queued = slot.connection.expires;
  by_expiry_.emplace(slot.queued, slot.id);
}

void ConntrackTable::assure(Connection& connection, Id id) {
  if (connection.assured) return;
  connection.assured = true;
  not_assured_.erase(id);
}

bool ConntrackTable::make_room() {
  if (size() < limit_) return true;
  if (not_assured_.empty()) return false;
  erase(*not_assured_.begin());
  return true;
}

void ConntrackTable::retire(Picos now) {
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    const Id id = by_expiry_.begin()->second;
    Slot& slot = at(id);
    if (slot.connection.expires <= now) {
      erase(id);
    } else {
      note(id);
      by_expiry_.erase(by_expiry_.begin());
      by_expiry_.emplace(slot.connection.expires, id);
      slot.queued = slot.connection.expires;
    }
  }
}

void ConntrackTable::note(Id id) {
  if (!journal_) return;
  const Slot* slot = find(id);
  journal_->images.push_back({id, slot == nullptr ? std::nullopt : std::optional(*slot)});
}

void ConntrackTable::insert(Slot slot) {
  const Id id = slot.id;
  note(id);
  by_tuple_[slot.connection.original] = {id, Direction::Original};
  by_tuple_[slot.connection.reply] = {id, Direction::Reply};
  by_expiry_.emplace(slot.queued, id);
  if (!slot.connection.assured) not_assured_.insert(id);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  slots_[free_.back()] = std::move(slot);
  places_[id] = free_.back();
  free_.pop_back();
}

void ConntrackTable::erase(Id id) {
  note(id);
  const auto place = places_.find(id);
  Slot& slot = slots_[place->second];
  by_tuple_.erase(slot.connection.original);
  by_tuple_.erase(slot.connection.reply);
  by_expiry_.erase({slot.queued, id});
  not_assured_.erase(id);
  slot.id = 0;
  free_.push_back(place->second);
  places_.erase(place);
}

void ConntrackTable::checkpoint() {
  journal_ = {.next = next_, .images = {}};
}

void ConntrackTable::roll_back() {
  assert(journal_);
  Journal journal = std::move(*journal_);
  journal_.reset();
  next_ = journal.next;
  // The oldest image of a connection is undone last.
  for (; !journal.images.empty(); journal.images.pop_back()) {
    auto& [id, before] = journal.images.back();
    if (places_.contains(id)) erase(id);
    if (before) insert(std::move(*before));
  }
}

std::map<ConntrackTuple, std::optional<Connection>> ConntrackTable::changes() const {
  assert(journal_);
  std::map<ConntrackTuple, std::optional<Connection>> changed;
  for (const auto& [id, before] : journal_->images) {
    if (const Slot* slot = find(id)) {
      changed[slot->connection.original] = slot->connection;
    } else if (before) {
      changed.try_emplace(before->connection.original);
    }
  }
  return changed;
}

std::vector<Connection> ConntrackTable::connections() const {
  std::vector<Connection> list;
  list.reserve(size());
  for (const auto& [id, place] : places_)
    list.push_back(slots_[place].connection);
  std::ranges::sort(list, {}, &Connection::original);
  return list;
}

std::optional<ConntrackTable::VisitPosition> ConntrackTable::visit(
    const VisitPosition& after, std::size_t most,
    const std::function<void(const Connection&)>& visitor) const {
  auto at = by_expiry_.upper_bound({after.queued, after.id});
  VisitPosition position = after;
  for (; most > 0 && at != by_expiry_.end(); --most, ++at) {
    position = {at->first, at->second};
    visitor(this->at(at->second).connection);
  }
  return at == by_expiry_.end() ? std::nullopt : std::optional(position);
}

bool ConntrackTable::operator==(const ConntrackTable& other) const {
  return limit_ == other.limit_ && connections() == other.connections();
}

std::string_view to_string(TrackState state) {
  switch (state) {
    case TrackState::Invalid:
      return "INVALID";
    case TrackState::Untracked:
      return "UNTRACKED";
    case TrackState::New:
      return "NEW";
    case TrackState::Established:
      return "ESTABLISHED";
    case TrackState::Related:
      return "RELATED";
  }
  return "";
}

std::string to_string(const ConntrackTable& table, Picos now) {
  std::string text;
  for (const Connection& connection : table.connections())
    text += to_string(connection, now);
  return text;
}

}  // namespace overlane::node
