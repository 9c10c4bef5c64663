#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/net/prefix.h"

namespace overlane::fib {

/// A map from IPv4 prefixes to values with longest-prefix match. A plain value: sorted by prefix,
/// so equality and diff are structural. Lookup costs one binary search per prefix length in use.
template <typename Value>
class PrefixTable {
 public:
  using Entry = std::pair<Ipv4Prefix, Value>;

  /// Sets the value of exactly this prefix; true when it was not there before.
  bool set(const Ipv4Prefix& prefix, Value value) {
    const auto at = lower_bound(prefix);
    if (at != entries_.end() && at->first == prefix) {
      at->second = std::move(value);
      return false;
    }
    entries_.insert(at, Entry{prefix, std::move(value)});
    lengths_ |= length_bit(prefix.length);
    return true;
  }

  /// Removes exactly this prefix; false when it was not there.
  bool erase(const Ipv4Prefix& prefix) {
    const auto at = lower_bound(prefix);
    if (at == entries_.end() || at->first != prefix) return false;
    entries_.erase(at);
    lengths_ = 0;
    for (const Entry& entry : entries_)
      lengths_ |= length_bit(entry.first.length);
    return true;
  }

  /// The value of exactly this prefix, or null.
  const Value* find(const Ipv4Prefix& prefix) const {
    const Entry* entry = find_entry(prefix);
    return entry == nullptr ? nullptr : &entry->second;
  }

  /// The entry with the longest prefix that holds `address`, or null.
  const Entry* longest_match(Ipv4Address address) const {
    for (int length = 32; length >= 0; --length) {
      const auto bits = static_cast<std::uint8_t>(length);
      if ((lengths_ & length_bit(bits)) == 0) continue;
      if (const Entry* entry = find_entry(Ipv4Prefix::containing(address, bits))) return entry;
    }
    return nullptr;
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  bool operator==(const PrefixTable&) const = default;

 private:
  static constexpr std::uint64_t length_bit(std::uint8_t length) { return 1ull << length; }

  auto lower_bound(const Ipv4Prefix& prefix) {
    return std::ranges::lower_bound(entries_, prefix, {}, &Entry::first);
  }
  const Entry* find_entry(const Ipv4Prefix& prefix) const {
    const auto at = std::ranges::lower_bound(entries_, prefix, {}, &Entry::first);
    return at != entries_.end() && at->first == prefix ? &*at : nullptr;
  }

  std::vector<Entry> entries_;
  std::uint64_t lengths_ = 0;  ///< Bit n is set when some prefix has length n.
};

}  // namespace overlane::fib
