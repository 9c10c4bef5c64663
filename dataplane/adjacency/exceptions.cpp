#include "dataplane/adjacency/exceptions.h"

#include "dataplane/net/flow_hash.h"

namespace overlane::adjacency {

std::uint32_t Exceptions::hash(IpAddress source, IpAddress destination) {
  return flow_hash({.source = source, .destination = destination}) % (kWords * 64);
}

void Exceptions::set(std::uint32_t bit) {
  words_[bit / 64].fetch_or(std::uint64_t{1} << bit % 64, std::memory_order_relaxed);
  has_any_.store(true, std::memory_order_release);
}

void Exceptions::add_pair(IpAddress one, IpAddress other) {
  set(hash(one, other));
  set(hash(other, one));
}

void Exceptions::add_destination(IpAddress destination) {
  set(hash(destination, destination));
}

void Exceptions::clear() {
  has_any_.store(false, std::memory_order_release);
  for (auto& word : words_)
    word.store(0, std::memory_order_relaxed);
}

}  // namespace overlane::adjacency
