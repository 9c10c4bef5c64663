#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/net/prefix.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::reference {

// An index of the tables that grow with the number of nodes: the members of a cluster, the routes
// and instances of a fabric. The lookups of the byte path (linear_tables.h) inspect all entries of
// a table, or those that an index gives them. They inspect these in the same way, so an index saves
// time and decides nothing. An index shares no code with the lookups of the fast executors: it is a
// hash table of prefixes, which is asked once for each prefix length.

/// The entries of a table that a lookup inspects, in the order of the table: all of them, or a few.
class Candidates {
 public:
  /// All entries of a table of this size.
  explicit Candidates(std::size_t size) : size_(size) {}
  /// Some entries, by their numbers in ascending order.
  explicit Candidates(std::vector<std::uint32_t> numbers)
      : size_(numbers.size()), numbers_(std::move(numbers)) {}

  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t i) const {
    return numbers_ ? (*numbers_)[i] : static_cast<std::uint32_t>(i);
  }

 private:
  std::size_t size_;
  std::optional<std::vector<std::uint32_t>> numbers_;
};

/// Entries of a table by prefixes. An entry may have several.
class PrefixIndex {
 public:
  void add(const IpPrefix& prefix, std::uint32_t number);
  void add(IpAddress address, std::uint32_t number) { add(IpPrefix::host(address), number); }
  /// All entries with a prefix that contains the address.
  Candidates candidates(IpAddress address) const;

 private:
  struct Hash {
    std::size_t operator()(const IpPrefix& prefix) const {
      return AddressHash{}(prefix.network()) + prefix.bits();
    }
  };
  static constexpr std::size_t kLengths = 129;

  std::unordered_multimap<IpPrefix, std::uint32_t, Hash> entries_;
  std::array<bool, kLengths> has_length_{};  ///< By IpPrefix::bits().
};

/// An index of the members of a cluster: by node address, tunnel address and pod CIDR.
PrefixIndex index_of(const node::ClusterTable& cluster);

/// The members that may have the address as node or tunnel address or in their pod CIDR. All of
/// them without an index (null).
inline Candidates candidates(const node::ClusterTable& cluster, const PrefixIndex* index,
                             IpAddress address) {
  return index == nullptr ? Candidates(cluster.members().size()) : index->candidates(address);
}

/// An index of a fabric.
struct FabricIndex {
  explicit FabricIndex(const node::FabricState& fabric);

  std::vector<PrefixIndex> routes;  ///< By route table: positions of its routes.
  PrefixIndex instances;            ///< By address and prefix.
};

/// Indices for repeated lookups in the states of one run. An index takes as long to build as some
/// lookups without it, so it is built only for a state that has been asked about often. One thread
/// at a time may use this object.
class TableIndices {
 public:
  /// Lookups in a state before its index is built.
  static constexpr int kMinUses = 32;

  /// The index of this table, or null if lookups shall inspect all entries. Valid until the next
  /// call.
  const PrefixIndex* of(const std::shared_ptr<const node::ClusterTable>& cluster);
  /// The index of this fabric, or null. A state with the same address and generation must be
  /// unchanged.
  const FabricIndex* of(const node::FabricState& fabric);

 private:
  std::shared_ptr<const node::ClusterTable> cluster_;  ///< The table that was asked about last.
  int cluster_uses_ = 0;
  std::optional<PrefixIndex> members_;

  const node::FabricState* fabric_ = nullptr;  ///< The state that was asked about last.
  node::Generation generation_;
  int fabric_uses_ = 0;
  std::optional<FabricIndex> fabric_index_;
};

}  // namespace overlane::reference
