#include <algorithm>
#include <cassert>

#include "dataplane/node/runtime/conntrack.h"

namespace overlane::node {

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

std::optional<ConntrackTable::Place> ConntrackTable::visit(
    const Place& after, std::size_t most,
    const std::function<void(const Connection&)>& visitor) const {
  auto at = by_expiry_.upper_bound({after.queued, after.id});
  Place place = after;
  for (; most > 0 && at != by_expiry_.end(); --most, ++at) {
    place = {at->first, at->second};
    visitor(this->at(at->second).connection);
  }
  return at == by_expiry_.end() ? std::nullopt : std::optional(place);
}

bool ConntrackTable::operator==(const ConntrackTable& other) const {
  return limit_ == other.limit_ && connections() == other.connections();
}

}  // namespace overlane::node
