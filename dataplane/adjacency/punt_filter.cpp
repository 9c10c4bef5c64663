#include "dataplane/adjacency/punt_filter.h"

#include "dataplane/forward/packet.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::adjacency {

bool has_no_effect(const node::Connection& connection) {
  return !forward::has_ports(connection.original.protocol) &&
         node::inverse(connection.original) == connection.reply;
}

std::uint32_t PuntFilter::hash(IpAddress source, IpAddress destination) {
  return flow_hash({.source = source, .destination = destination}) % (kWords * 64);
}

void PuntFilter::set(std::uint32_t bit) {
  words_[bit / 64].fetch_or(std::uint64_t{1} << bit % 64, std::memory_order_relaxed);
  has_any_.store(true, std::memory_order_release);
}

void PuntFilter::learn(node::NodeRuntime& runtime) {
  add_changes(runtime);
  runtime.connections.keep();
}

void PuntFilter::add_changes(const node::NodeRuntime& runtime) {
  for (const auto& [original, connection] : runtime.connections.changes()) {
    if (connection) add(*connection);
  }
  if (runtime.path_mtus.times_learned() == path_mtus_learned_) return;
  path_mtus_learned_ = runtime.path_mtus.times_learned();
  for (const IpAddress destination : runtime.path_mtus.destinations())
    add_destination(destination);
}

void PuntFilter::add_path_mtus(const node::NodeRuntime& runtime, Picos now) {
  path_mtus_learned_ = runtime.path_mtus.times_learned();
  for (const IpAddress destination : runtime.path_mtus.destinations()) {
    if (runtime.path_mtus.find(destination, now)) add_destination(destination);
  }
}

void PuntFilter::add(const node::Connection& connection) {
  if (has_no_effect(connection)) return;
  add_pair(connection.original.source, connection.original.destination);
  add_pair(connection.reply.source, connection.reply.destination);
}

void PuntFilter::add_pair(IpAddress one, IpAddress other) {
  set(hash(one, other));
  set(hash(other, one));
}

void PuntFilter::add_destination(IpAddress destination) {
  set(hash(destination, destination));
}

void PuntFilter::clear() {
  has_any_.store(false, std::memory_order_release);
  for (auto& word : words_)
    word.store(0, std::memory_order_relaxed);
}

namespace {

/// Connections per step, which takes tens of microseconds. A full table (kConntrackMax) takes 512
/// steps.
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
