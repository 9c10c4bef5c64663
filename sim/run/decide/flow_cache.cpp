#include "sim/run/decide/flow_cache.h"

#include <utility>

namespace overlane::run {
namespace {

/// So many trails are asked to make room before a packet goes without one.
constexpr int kMostLooks = 64;

}  // namespace

CacheEntryId FlowCache::begin(EndId end, const forward::Packet& header) {
  const CacheEntryId id = allocate();
  if (id == kNone) return kNone;
  flow_cache_[id].end = end;
  headers_[id].packets.push_back(header);
  headers_[id].next_hops.emplace_back();
  headers_[id].epoch = epochs_[end];
  return of_end_[end] = id;
}

CacheEntryId FlowCache::branch(CacheEntryId id, std::size_t stage) {
  const CacheEntryId next = allocate();
  if (next == kNone) return kNone;
  const EndId end = flow_cache_[id].end;
  flow_cache_[next].end = end;
  flow_cache_[next].known = static_cast<std::uint8_t>(stage);
  flow_cache_[next].hops = flow_cache_[id].hops;
  const auto front = [](const auto& all, std::size_t count) {
    return std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  };
  const FlowCacheHeaders& old = headers_[id];
  headers_[next] = {front(old.packets, stage + 1), front(old.next_hops, stage + 1), old.epoch};
  if (id < repeats_.size()) {
    repeats_.resize(flow_cache_.size());
    repeats_[next] = repeats_[id];
  }
  if (old.epoch != epochs_[end]) return next;
  const CacheEntryId current = std::exchange(of_end_[end], next);
  if (current != kNone && flow_cache_[current].in_flight == 0) free_.push_back(current);
  return next;
}

void FlowCache::forget(EndId end) {
  if (end >= of_end_.size()) {
    of_end_.resize(end + 1, kNone);
    epochs_.resize(end + 1);
  }
  ++epochs_[end];
  const CacheEntryId id = of_end_[end];
  if (id == kNone) return;
  of_end_[end] = kNone;
  if (flow_cache_[id].in_flight == 0) free_.push_back(id);
}

CacheEntryId FlowCache::allocate() {
  if (free_.empty() && flow_cache_.size() < kMostEntries) {
    flow_cache_.emplace_back();
    headers_.emplace_back();
    return static_cast<CacheEntryId>(flow_cache_.size() - 1);
  }
  if (free_.empty() && !make_room()) return kNone;
  const CacheEntryId id = free_.back();
  free_.pop_back();
  flow_cache_[id] = {};
  headers_[id].packets.clear();
  headers_[id].next_hops.clear();
  return id;
}

/// The second-chance algorithm: one round spares what was used since the last.
bool FlowCache::make_room() {
  for (int looked = 0; looked < kMostLooks; ++looked) {
    hand_ = (hand_ + 1) % flow_cache_.size();
    FlowCacheEntry& cache_entry = flow_cache_[hand_];
    if (cache_entry.in_flight > 0 || of_end_[cache_entry.end] != hand_) continue;
    if (!std::exchange(cache_entry.used, false)) {
      forget(cache_entry.end);
      return true;
    }
  }
  return false;
}

}  // namespace overlane::run
