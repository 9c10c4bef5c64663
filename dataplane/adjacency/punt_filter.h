#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/node/runtime/node_runtime.h"

namespace overlane::adjacency {

// Says which packets must leave the fast path although they have an adjacency, because the node
// has learned something about them: a translated connection, a path MTU. It is a Bloom filter:
// false positives cost time, false negatives do not occur. One thread writes, any number reads.
// RenewedPuntFilter rebuilds the filter step by step, to forget what has expired.

/// Whether the connection changes nothing for its packets: it translates nothing, and its protocol
/// has no connection states. True also between the ends of an IPIP tunnel.
bool has_no_effect(const node::Connection& connection);

/// Packets that must be punted because of what the node has learned beyond its state: connections
/// that are translated or tracked by state, and path MTUs. A Bloom filter with one hash: false
/// positives are possible, false negatives are not. One thread writes, any number read.
class PuntFilter {
 public:
  PuntFilter() : words_(kWords) {}

  /// Adds what the node learned from a packet on the full path: the connections that changed since
  /// runtime.connections.checkpoint(), which it ends, except those without effect, and path MTUs.
  void learn(node::NodeRuntime& runtime);

  /// Adds the changed connections and leaves the checkpoint alone.
  void add_changes(const node::NodeRuntime& runtime);
  /// What the node knows at `now` of path MTUs, as often as it has learned any by then.
  void add_path_mtus(const node::NodeRuntime& runtime, Picos now);
  /// Unless it is without effect.
  void add(const node::Connection& connection);
  /// A connection between these two, either way.
  void add_pair(IpAddress one, IpAddress other);
  /// A path MTU.
  void add_destination(IpAddress destination);
  void clear();

  /// Whether there is anything at all.
  bool has_any() const { return has_any_.load(std::memory_order_acquire); }
  bool has_pair(IpAddress source, IpAddress destination) const {
    return is_set(hash(source, destination));
  }
  bool has_destination(IpAddress destination) const {
    return is_set(hash(destination, destination));
  }

 private:
  /// 2^20 bits are 128 KiB: of 10,000 connections 2 % of all other packets take the full path too.
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

/// How often a running node's filter is rebuilt. Its stale entries are mostly expired connections,
/// which live 30 s at least, except closed TCP ones (node::kUdpTimeout, kIcmpTimeout): a shorter
/// period would remove few.
inline constexpr Picos kRenewal = seconds(30);

/// The punt filter of one running node. A filter only grows, so a new one is built periodically
/// from what the node still knows, in parts, and replaces the old one. Both get what is learned
/// meanwhile, the old one as long as a reader holds it. One thread writes.
class RenewedPuntFilter {
 public:
  /// The filter to use now. A reader of an earlier one keeps it alive.
  std::shared_ptr<const PuntFilter> current() const { return current_; }

  /// Adds what the node learned, like PuntFilter::learn().
  void learn(node::NodeRuntime& runtime);

  /// Does a part of a renewal when one is due. Call it every few milliseconds. True when current()
  /// has changed.
  bool renew(const node::NodeRuntime& runtime, Picos now);

 private:
  std::shared_ptr<PuntFilter> current_ = std::make_shared<PuntFilter>();
  std::weak_ptr<PuntFilter> previous_;  ///< The former filter, while a reader still holds it.
  std::shared_ptr<PuntFilter> next_;    ///< Under construction.
  node::ConntrackTable::Place seen_;    ///< How far `next_` has got.
  Picos due_ = kRenewal;
};

}  // namespace overlane::adjacency
