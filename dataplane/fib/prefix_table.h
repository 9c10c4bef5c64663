#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/net/prefix.h"

namespace overlane::fib {

// Longest-prefix match for both IP families, as a sorted vector: small, ordered and comparable.
// States of nodes and of the fabric, which are copied and compared, hold their routes in it; the
// fast path has tables of its own (adjacency::Ipv6Finder, dpdk::Lpm).

/// A map from prefixes of either family to values with longest-prefix match. It is a plain value:
/// entries are sorted by prefix, so equal tables compare equal whatever the order of insertion.
/// Lookup costs one binary search per prefix length in use. Pointers into the table are valid until
/// it changes.
template <typename Value>
class PrefixTable {
 public:
  using Entry = std::pair<IpPrefix, Value>;

  /// Sets the value of exactly this prefix. Returns true if the prefix is new.
  bool set(const IpPrefix& prefix, Value value) {
    const auto at = lower_bound(prefix);
    if (at != entries_.end() && at->first == prefix) {
      at->second = std::move(value);
      return false;
    }
    entries_.insert(at, Entry{prefix, std::move(value)});
    use_length(prefix.bits());
    return true;
  }

  /// Removes exactly this prefix. Returns false if the table does not have it.
  bool erase(const IpPrefix& prefix) {
    const auto at = lower_bound(prefix);
    if (at == entries_.end() || at->first != prefix) return false;
    entries_.erase(at);
    lengths_.clear();
    for (const Entry& entry : entries_)
      use_length(entry.first.bits());
    return true;
  }

  /// The value of exactly this prefix, or null.
  const Value* find(const IpPrefix& prefix) const {
    const Entry* entry = find_entry(prefix);
    return entry == nullptr ? nullptr : &entry->second;
  }

  /// The entry with the longest prefix that contains `address`, or null.
  const Entry* longest_match(IpAddress address) const {
    return longest_match(address, [](const IpPrefix&, const Value&) { return true; });
  }
  /// The entry with the longest prefix that contains `address` and for which `accept(prefix,
  /// value)` returns true, or null. `accept` is called for longer prefixes first.
  template <typename Accept>
  const Entry* longest_match(IpAddress address, Accept accept) const {
    const std::uint8_t shortest = IpPrefix::containing(address, 0).bits();
    for (const std::uint8_t bits : lengths_) {
      if (bits < shortest) break;
      const Entry* entry = find_entry(IpPrefix::first_bits(address, bits));
      if (entry != nullptr && accept(entry->first, entry->second)) return entry;
    }
    return nullptr;
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  bool operator==(const PrefixTable&) const = default;

 private:
  auto lower_bound(const IpPrefix& prefix) {
    return std::ranges::lower_bound(entries_, prefix, {}, &Entry::first);
  }
  const Entry* find_entry(const IpPrefix& prefix) const {
    const auto at = std::ranges::lower_bound(entries_, prefix, {}, &Entry::first);
    return at != entries_.end() && at->first == prefix ? &*at : nullptr;
  }

  void use_length(std::uint8_t bits) {
    const auto at = std::ranges::lower_bound(lengths_, bits, std::ranges::greater());
    if (at == lengths_.end() || *at != bits) lengths_.insert(at, bits);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint8_t> lengths_;  ///< The bits() of all prefixes, longest first.
};

}  // namespace overlane::fib
