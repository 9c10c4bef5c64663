#include "dataplane/neighbour/table.h"

#include <utility>

namespace overlane::neighbour {
namespace {

/// Minimum interval between updates of Neighbour::used.
constexpr Picos kUseStep = seconds(1);

}  // namespace

std::optional<MacAddress> Table::find(const IpAddress& address) const {
  const auto entry = neighbours_.find(address);
  if (entry == neighbours_.end() || !entry->second.is_known()) return std::nullopt;
  return entry->second.mac;
}

void Table::send(const IpAddress& to, const ToSend& packet, Picos now, ArpNdWriter& writer) {
  const Entry entry = use(to, now, writer);
  if (entry == neighbours_.end()) {
    return writer.events().undelivered(to, packet.bytes, packet.mark);
  }
  if (entry->second.is_known()) return writer.deliver(entry->second.mac, packet);
  keep(entry, packet, writer);
  if (entry->second.requests == 0) send_request(entry, now, writer);
}

void Table::give_up(LinkEvents& events) {
  for (auto& [address, neighbour] : neighbours_) {
    for (const Kept& one : take_kept(neighbour))
      events.undelivered(address, one.bytes, one.mark);
  }
}

void Table::resolve(const IpAddress& address, Picos now, ArpNdWriter& writer) {
  const Entry entry = use(address, now, writer);
  if (entry == neighbours_.end() || entry->second.is_known()) return;
  if (entry->second.requests == 0) send_request(entry, now, writer);
}

void Table::update(const IpAddress& address, const Evidence& evidence, Picos now,
                   ArpNdWriter& writer) {
  Entry entry = neighbours_.find(address);
  if (entry == neighbours_.end()) {
    if (!evidence.creates || !evidence.mac) return;
    entry = create(address, kNever, now, writer);
    if (entry == neighbours_.end()) return;
  }
  const Neighbour& known = entry->second;
  const State state = evidence.confirms ? State::Reachable : known.doubted();
  if (!known.is_known()) {
    if (evidence.mac) settle(entry, state, *evidence.mac, now, writer);
    return;
  }
  const MacAddress mac = evidence.mac.value_or(known.mac);
  if (mac == known.mac) {
    if (evidence.confirms) settle(entry, state, mac, now, writer);
    return;
  }
  if (keeps_known_mac_) return doubt(address, now, writer);
  switch (evidence.overrides) {
    case Evidence::Override::Weak:
      if (known.state == State::Reachable) set_state(entry, known.doubted(), now);
      return;
    case Evidence::Override::AfterLock:
      if (now <= known.updated + kLock) return;
      break;
    case Evidence::Override::Yes:
      break;
  }
  settle(entry, state, mac, now, writer);
}

void Table::doubt(const IpAddress& address, Picos now, ArpNdWriter& writer) {
  const Entry entry = neighbours_.find(address);
  if (entry == neighbours_.end()) return;
  const Neighbour& known = entry->second;
  const bool just_answered = known.state == State::Reachable && now <= known.updated + kLock;
  if (!known.is_known() || known.state == State::Probe || just_answered) return;
  set_state(entry, State::Probe, now);
  send_request(entry, now, writer);
}

void Table::tick(Picos now, ArpNdWriter& writer) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now)
    expire(neighbours_.find(deadlines_.begin()->second), now, writer);
}

std::optional<Picos> Table::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void Table::expire(Entry entry, Picos now, ArpNdWriter& writer) {
  switch (entry->second.state) {
    case State::Incomplete:
    case State::Probe:
      if (entry->second.requests < kMaxRequests) return send_request(entry, now, writer);
      return erase(entry, writer);
    case State::Stale:
      return erase(entry, writer);
    case State::Delay:
      set_state(entry, State::Probe, now);
      return send_request(entry, now, writer);
    case State::Reachable:
      return set_state(entry, entry->second.doubted(), now);
  }
}

Table::Entry Table::use(const IpAddress& address, Picos now, ArpNdWriter& writer) {
  const Entry entry = neighbours_.find(address);
  if (entry == neighbours_.end()) return create(address, now, now, writer);
  if (now - kUseStep >= entry->second.used)
    edit(entry, [&](Neighbour& neighbour) { neighbour.used = now; });
  if (entry->second.state == State::Stale) set_state(entry, State::Delay, now);
  return entry;
}

Table::Entry Table::create(const IpAddress& address, Picos used, Picos now, ArpNdWriter& writer) {
  if (!make_room(used != kNever, now, writer)) return neighbours_.end();
  const Neighbour fresh{.updated = now, .used = used, .deadline = now};
  const Entry entry = neighbours_.try_emplace(address, fresh).first;
  deadlines_.emplace(now, address);
  eviction_order_.insert(eviction_key(entry));
  return entry;
}

bool Table::make_room(bool is_used, Picos now, ArpNdWriter& writer) {
  if (neighbours_.size() < max_neighbours_) return true;
  if (eviction_order_.empty()) return false;
  const auto& [used, updated, address] = *eviction_order_.begin();
  const bool is_idle = used == kNever || (is_used && used + kStale <= now);
  if (is_idle) erase(neighbours_.find(address), writer);
  return is_idle;
}

void Table::erase(Entry entry, ArpNdWriter& writer) {
  deadlines_.erase({entry->second.deadline, entry->first});
  eviction_order_.erase(eviction_key(entry));
  auto node = neighbours_.extract(entry);
  if (node.mapped().is_known()) writer.events().lost(node.key());
  for (const Kept& one : take_kept(node.mapped()))
    writer.events().unanswered(node.key(), one.bytes, one.mark);
}

void Table::keep(Entry entry, const ToSend& packet, ArpNdWriter& writer) {
  Neighbour& neighbour = entry->second;
  const auto cost = [](const auto& bytes) { return bytes.size() + kPacketOverhead; };
  auto& kept = neighbour.kept;
  while (!kept.empty() && neighbour.kept_bytes + cost(packet.bytes) > max_queued_bytes_) {
    neighbour.kept_bytes -= cost(kept.front().bytes);
    writer.events().undelivered(entry->first, kept.front().bytes, kept.front().mark);
    kept.pop_front();
    --kept_;
  }
  neighbour.kept_bytes += cost(packet.bytes);
  kept.push_back({{packet.bytes.begin(), packet.bytes.end()}, packet.mark});
  ++kept_;
}

std::list<Table::Kept> Table::take_kept(Neighbour& neighbour) {
  kept_ -= neighbour.kept.size();
  neighbour.kept_bytes = 0;
  return std::exchange(neighbour.kept, {});
}

void Table::send_request(Entry entry, Picos now, ArpNdWriter& writer) {
  edit(entry, [&](Neighbour& neighbour) {
    ++neighbour.requests;
    neighbour.deadline = now + kRetransmit;
  });
  const Neighbour& neighbour = entry->second;
  std::span<const std::uint8_t> waiting;
  if (!neighbour.kept.empty()) waiting = neighbour.kept.back().bytes;
  writer.send_request(entry->first, find(entry->first), waiting);
}

void Table::settle(Entry entry, State state, const MacAddress& mac, Picos now,
                   ArpNdWriter& writer) {
  const bool is_new = !entry->second.is_known() || mac != entry->second.mac;
  edit(entry, [&](Neighbour& neighbour) {
    if (is_new) neighbour.updated = now;
    neighbour.mac = mac;
  });
  set_state(entry, state, now);
  if (is_new) writer.events().learned(entry->first, mac);
  for (const Kept& one : take_kept(entry->second))
    writer.deliver(mac, one.packet());
}

void Table::set_state(Entry entry, State state, Picos now) {
  constexpr auto kLasts = [](State of) {
    switch (of) {
      case State::Incomplete:
      case State::Probe:
        return kRetransmit;
      case State::Stale:
        return kStale;
      case State::Delay:
        return kDelay;
      case State::Reachable:
        return kReachable;
    }
    return kRetransmit;
  };
  edit(entry, [&](Neighbour& neighbour) {
    if (state != neighbour.state) neighbour.updated = now;
    neighbour.state = state;
    neighbour.requests = 0;
    neighbour.deadline = now + kLasts(state);
  });
}

template <typename Change>
void Table::edit(Entry entry, Change change) {
  const Picos deadline = entry->second.deadline;
  const EvictionKey before = eviction_key(entry);
  change(entry->second);
  if (entry->second.deadline != deadline) {
    deadlines_.erase({deadline, entry->first});
    deadlines_.emplace(entry->second.deadline, entry->first);
  }
  if (eviction_key(entry) != before) {
    eviction_order_.erase(before);
    eviction_order_.insert(eviction_key(entry));
  }
}

}  // namespace overlane::neighbour
