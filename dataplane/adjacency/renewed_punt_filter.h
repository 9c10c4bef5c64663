#pragma once

#include <memory>
#include <optional>

#include "dataplane/adjacency/punt_filter.h"

namespace overlane::adjacency {

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

  /// As PuntFilter::learn().
  void learn(node::NodeRuntime& runtime);

  /// Does a part of a renewal when one is due. Call it every few milliseconds. True when current()
  /// has changed.
  bool renew(const node::NodeRuntime& runtime, Picos now);

 private:
  std::shared_ptr<PuntFilter> current_ = std::make_shared<PuntFilter>();
  std::weak_ptr<PuntFilter> previous_;  ///< As long as a reader holds it.
  std::shared_ptr<PuntFilter> next_;    ///< Under construction.
  node::ConntrackTable::Place seen_;    ///< How far `next_` has got.
  Picos due_ = kRenewal;
};

}  // namespace overlane::adjacency
