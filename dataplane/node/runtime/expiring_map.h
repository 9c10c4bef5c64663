#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "dataplane/net/units.h"

namespace overlane::node {

/// At most `Limit` values, each until its time: what must make room goes in order of expiry.
template <typename Key, typename Value, std::size_t Limit>
class ExpiringMap {
 public:
  /// The value of `key`, while it lives.
  const Value* find(const Key& key, Picos now) const {
    const auto at = entries_.find(key);
    return at == entries_.end() || at->second.expires <= now ? nullptr : &at->second.value;
  }

  void set(const Key& key, Value value, Picos now, Picos life) {
    erase(key);
    while (!by_expiry_.empty() && (by_expiry_.begin()->first <= now || entries_.size() >= Limit)) {
      erase(Key(by_expiry_.begin()->second));
    }
    entries_.emplace(key, Entry{std::move(value), now + life});
    by_expiry_.emplace(now + life, key);
  }

  void erase(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return;
    by_expiry_.erase({at->second.expires, key});
    entries_.erase(at);
  }

  std::size_t size() const { return entries_.size(); }
  bool operator==(const ExpiringMap&) const = default;

 private:
  struct Entry {
    Value value;
    Picos expires;
    bool operator==(const Entry&) const = default;
  };
  std::map<Key, Entry> entries_;
  std::set<std::pair<Picos, Key>> by_expiry_;  ///< One for each of `entries_`.
};

}  // namespace overlane::node
