#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/world.h"

namespace overlane::path {

// The parts of the comparison of nodes in node_classes.cpp: a Key describes one property of a node
// in numbers, LiveAddresses finds the owner of an address, Literals are the prefixes that keys
// contain unchanged, and KeyNumbers gives equal keys one number. Used by one thread.

/// A property of a node, as numbers. Nodes with equal keys have equal properties.
using Key = std::vector<std::uint64_t>;

template <typename... Words>
void put(Key& key, Words... words) {
  (key.push_back(static_cast<std::uint64_t>(words)), ...);
}
void put(Key& key, node::DeviceName name);
/// With its length, so that no two keys of different parts are equal.
void put_part(Key& key, const Key& part);

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

/// An address that packets may bear, and a node that it belongs to.
struct OwnedAddress {
  IpAddress address;
  std::uint32_t node = 0;

  auto operator<=>(const OwnedAddress&) const = default;
};

/// The addresses of all nodes that walks may ask for.
class LiveAddresses {
 public:
  /// The node of all addresses in a prefix; nothing when these are none, or of several nodes.
  struct Held {
    bool any = false;
    std::optional<std::uint32_t> only;
  };

  void insert(const OwnedAddress& added);
  void insert(const std::vector<OwnedAddress>& added);
  Held held(const IpPrefix& prefix) const;
  /// Whether any node has this address.
  bool contains(IpAddress address) const;
  /// Whether `is_so` holds for each node that has this address.
  template <typename IsSo>
  bool all_of(IpAddress address, const IsSo& is_so) const {
    const std::vector<OwnedAddress>& owned = of(address.is_ipv4());
    auto at = std::ranges::lower_bound(owned, address, {}, &OwnedAddress::address);
    for (; at != owned.end() && at->address == address; ++at)
      if (!is_so(at->node)) return false;
    return true;
  }
  /// The nodes that have an address which another node has, too.
  std::vector<std::uint32_t> sharing() const;

 private:
  const std::vector<OwnedAddress>& of(bool ipv4) const { return sorted_[ipv4 ? 0 : 1]; }

  std::array<std::vector<OwnedAddress>, 2> sorted_;  ///< IPv4, IPv6.
};

/// The prefixes and addresses that keys name as they are.
class Literals {
 public:
  void fix(const IpPrefix& prefix) { fixed_.push_back(prefix); }
  void fix(IpAddress address) { fix(IpPrefix::host(address)); }
  void fix(const std::vector<IpPrefix>& prefixes) {
    for (const IpPrefix& prefix : prefixes)
      fix(prefix);
  }
  /// Numbers all that have been fixed. Later ones must be known already (are_known()).
  void number();
  /// Forgets what was fixed since number().
  void begin_again() { fixed_.clear(); }
  /// Whether all that were fixed since begin_again() have numbers.
  bool are_known() const;

  /// Whether the prefix is a literal or holds a literal address.
  bool touches(const IpPrefix& prefix) const;
  bool is_host(IpAddress address) const { return std::ranges::binary_search(hosts_, address); }
  /// Calls `use` with each literal that holds the address, and its number.
  template <typename Use>
  void holders(IpAddress address, const Use& use) const {
    numbers_.longest_match(address, [&](const IpPrefix& literal, std::uint32_t number) {
      use(literal, number);
      return false;
    });
  }

 private:
  std::vector<IpPrefix> fixed_;  ///< Since begin_again().
  fib::PrefixTable<std::uint32_t> numbers_;
  std::vector<IpAddress> hosts_;  ///< Sorted.
};

/// The classes of nodes with equal keys, by number. A number means one key for good.
class KeyNumbers {
 public:
  /// The number of a node that is in no class.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit KeyNumbers(std::size_t nodes) : class_of_(nodes, kNone) {}

  void enter(std::uint32_t node, Key key);
  void leave(std::uint32_t node);
  std::uint32_t class_of(std::uint32_t node) const { return class_of_[node]; }
  bool is_alone(std::uint32_t node) const {
    return class_of_[node] == kNone || sizes_[class_of_[node]] == 1;
  }
  /// Number of classes so far, also of those that all nodes have left.
  std::uint32_t count() const { return static_cast<std::uint32_t>(sizes_.size()); }

 private:
  std::unordered_map<Key, std::uint32_t, KeyHash> classes_;
  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint32_t> sizes_;  ///< Nodes by class.
};

}  // namespace overlane::path
