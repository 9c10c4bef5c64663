#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/node/runtime/node_runtime.h"

namespace overlane::adjacency {

// The punt filter: packets that must leave the fast path although they have an adjacency, because
// the node has learned something about them (a translated connection, a path MTU). It is a Bloom
// filter: false positives cost time, false negatives do not occur. One thread writes, any number of
// threads read. RenewedPuntFilter rebuilds the filter step by step, which removes expired entries.

/// Returns whether the connection has no effect on its packets: it translates nothing, and its
/// protocol has no connection states. Also true for the connection between the ends of an IPIP
/// tunnel.
bool has_no_effect(const node::Connection& connection);

/// Set of packets that must be punted because of what the node has learned: connections that are
/// translated or tracked by state, and path MTUs. A Bloom filter with one hash. One thread writes,
/// any number of threads read.
class PuntFilter {
 public:
  PuntFilter() : words_(kWords) {}

  /// Adds what the node has learned from a packet on the full path: path MTUs, and the connections
  /// with an effect that changed since runtime.connections.checkpoint(). Ends that checkpoint.
  void learn(node::NodeRuntime& runtime);

  /// Adds the changed connections and does not end the checkpoint.
  void add_changes(const node::NodeRuntime& runtime);
  /// Adds the path MTUs that are valid at `now`, and records the number of path MTUs that the node
  /// has learned so far.
  void add_path_mtus(const node::NodeRuntime& runtime, Picos now);
  /// Adds a connection unless it has no effect.
  void add(const node::Connection& connection);
  /// Adds a connection between two addresses, in both directions.
  void add_pair(IpAddress one, IpAddress other);
  /// Adds a destination with a learned path MTU.
  void add_destination(IpAddress destination);
  void clear();

  /// Returns whether the filter has any entry.
  bool has_any() const { return has_any_.load(std::memory_order_acquire); }
  bool has_pair(IpAddress source, IpAddress destination) const {
    return is_set(hash(source, destination));
  }
  bool has_destination(IpAddress destination) const {
    return is_set(hash(destination, destination));
  }

 private:
  /// 2^20 bits are 128 KiB. With 10,000 connections, 2 % of all other packets take the full path,
  /// too.
  static constexpr std::uint32_t kWords = 1u << 14;

  static std::uint32_t hash(IpAddress source, IpAddress destination);
  void set(std::uint32_t bit);
  bool is_set(std::uint32_t bit) const {
    return (words_[bit / 64].load(std::memory_order_relaxed) >> bit % 64 & 1u) != 0;
  }

  std::vector<std::atomic<std::uint64_t>> words_;
  std::atomic<bool> has_any_ = false;
  std::uint64_t path_mtus_learned_ = 0;
};

/// Interval between rebuilds of a running node's filter. Its stale entries are mostly expired
/// connections, which live at least 30 s, except closed TCP ones (node::kUdpTimeout, kIcmpTimeout).
/// A shorter interval would remove few entries.
inline constexpr Picos kRenewal = seconds(30);

/// The punt filter of one running node. A filter only grows, so a new one is built periodically
/// from what the node still knows, in steps, and then replaces the old one. Meanwhile new entries
/// go into both, and into the old one as long as a reader holds it. One thread writes.
class RenewedPuntFilter {
 public:
  /// Returns the current filter. A reader keeps an earlier one alive.
  std::shared_ptr<const PuntFilter> current() const { return current_; }

  /// Adds what the node learned, like PuntFilter::learn().
  void learn(node::NodeRuntime& runtime);

  /// Performs one step of a renewal if one is due. Call it every few milliseconds. Returns true if
  /// current() has changed.
  bool renew(const node::NodeRuntime& runtime, Picos now);

 private:
  std::shared_ptr<PuntFilter> current_ = std::make_shared<PuntFilter>();
  std::weak_ptr<PuntFilter> previous_;        ///< The former filter, while a reader still holds it.
  std::shared_ptr<PuntFilter> next_;          ///< Under construction.
  node::ConntrackTable::VisitPosition seen_;  ///< Connections that `next_` already has.
  Picos due_ = kRenewal;
};

}  // namespace overlane::adjacency
