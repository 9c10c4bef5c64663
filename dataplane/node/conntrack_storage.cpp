#include <algorithm>
#include <cassert>

#include "dataplane/node/conntrack.h"

namespace overlane::node {

void ConntrackTable::refresh(Slot& slot, Id id, Picos expires) {
  slot.connection.expires = expires;
  refreshed_ = true;
  if (expires >= slot.queued) return;
  by_expiry_.erase({slot.queued, id});
  by_expiry_.emplace(expires, id);
  slot.queued = expires;
}

void ConntrackTable::assure(Connection& connection, Id id) {
  if (connection.assured) return;
  connection.assured = true;
  not_assured_.erase(id);
}

bool ConntrackTable::make_room() {
  if (connections_.size() < limit_) return true;
  if (not_assured_.empty()) return false;
  erase(*not_assured_.begin());
  return true;
}

void ConntrackTable::retire(Picos now) {
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    const Id id = by_expiry_.begin()->second;
    Slot& slot = connections_.at(id);
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
  const auto at = connections_.find(id);
  journal_->images.push_back(
      {id, at == connections_.end() ? std::nullopt : std::optional(at->second)});
}

void ConntrackTable::insert(Id id, Slot slot) {
  note(id);
  by_tuple_[slot.connection.original] = {id, Direction::Original};
  by_tuple_[slot.connection.reply] = {id, Direction::Reply};
  by_expiry_.emplace(slot.queued, id);
  if (!slot.connection.assured) not_assured_.insert(id);
  connections_[id] = std::move(slot);
}

void ConntrackTable::erase(Id id) {
  note(id);
  const auto at = connections_.find(id);
  const auto& [connection, queued, changes] = at->second;
  by_tuple_.erase(connection.original);
  by_tuple_.erase(connection.reply);
  by_expiry_.erase({queued, id});
  not_assured_.erase(id);
  connections_.erase(at);
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
    if (connections_.contains(id)) erase(id);
    if (before) insert(id, std::move(*before));
  }
}

std::map<ConntrackTuple, std::optional<Connection>> ConntrackTable::changes() const {
  assert(journal_);
  std::map<ConntrackTuple, std::optional<Connection>> changed;
  for (const auto& [id, before] : journal_->images) {
    const auto at = connections_.find(id);
    if (at != connections_.end()) {
      changed[at->second.connection.original] = at->second.connection;
    } else if (before) {
      changed.try_emplace(before->connection.original);
    }
  }
  return changed;
}

std::vector<Connection> ConntrackTable::connections() const {
  std::vector<Connection> list;
  list.reserve(connections_.size());
  for (const auto& [id, slot] : connections_)
    list.push_back(slot.connection);
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
    visitor(connections_.at(at->second).connection);
  }
  return at == by_expiry_.end() ? std::nullopt : std::optional(place);
}

bool ConntrackTable::operator==(const ConntrackTable& other) const {
  return limit_ == other.limit_ && connections() == other.connections();
}

}  // namespace overlane::node
