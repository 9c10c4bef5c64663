#include "dataplane/adjacency/renewed_punt_filter.h"

namespace overlane::adjacency {
namespace {

/// Connections that are looked at in one go, in tens of microseconds: a full table (kConntrackMax)
/// takes 512 such steps.
constexpr std::size_t kStep = 256;

}  // namespace

void RenewedPuntFilter::learn(node::NodeRuntime& runtime) {
  const auto previous = previous_.lock();
  for (PuntFilter* one : {current_.get(), next_.get(), previous.get()}) {
    if (one != nullptr) one->add_changes(runtime);
  }
  runtime.connections.keep();
}

bool RenewedPuntFilter::renew(const node::NodeRuntime& runtime, Picos now) {
  if (!next_) {
    if (now < due_ || !current_->has_any() || !previous_.expired()) return false;
    next_ = std::make_shared<PuntFilter>();
    next_->add_path_mtus(runtime, now);
    seen_ = {};
  }
  const auto place =
      runtime.connections.visit(seen_, kStep, [&](const node::Connection& connection) {
        if (connection.expires > now) next_->add(connection);
      });
  if (place) {
    seen_ = *place;
    return false;
  }
  previous_ = current_;
  current_ = std::move(next_);
  due_ = now + kRenewal;
  return true;
}

}  // namespace overlane::adjacency
