#pragma once

#include <memory>
#include <optional>

#include "dataplane/adjacency/punt_filter.h"

namespace overlane::adjacency {

/// How often a running node's exceptions are written anew. What they name for nothing are mostly
/// connections that have expired, and those live 30 s at the least but for TCP's that are closed
/// (node::kUdpTimeout, kIcmpTimeout): more often would find few gone.
inline constexpr Picos kRenewal = seconds(30);

/// The exceptions of one node while it runs. A filter only grows; so now and then another one is
/// made of what the node still knows, a part at a time, and takes the place of the old one. Nothing
/// that is learnt meanwhile is missing from either, nor from the old one as long as anybody reads
/// by it. One thread writes.
class RenewedPuntFilter {
 public:
  /// What adjacencies are to be taken by. Whoever still reads by what it was before keeps that.
  std::shared_ptr<const PuntFilter> current() const { return current_; }

  /// As PuntFilter::learn().
  void learn(node::NodeRuntime& runtime);

  /// Does a part of a renewal when one is due: to be called every few milliseconds. True when
  /// current() is another one since.
  bool renew(const node::NodeRuntime& runtime, Picos now);

 private:
  std::shared_ptr<PuntFilter> current_ = std::make_shared<PuntFilter>();
  std::weak_ptr<PuntFilter> previous_;  ///< While somebody reads by it.
  std::shared_ptr<PuntFilter> next_;    ///< Being made.
  node::ConntrackTable::Place seen_;    ///< How far `next_` has got.
  Picos due_ = kRenewal;
};

}  // namespace overlane::adjacency
