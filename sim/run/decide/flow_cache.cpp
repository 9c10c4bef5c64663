#include "sim/run/decide/flow_cache.h"

#include <algorithm>
#include <utility>

namespace overlane::run {
namespace {

/// Entries that make_room() inspects at most; then the packet goes without an entry.
constexpr int kMaxLooks = 64;

forward::Packet shape_without_ttls(const forward::Packet& header) {
  forward::Packet packet = shape_of(header);
  packet.inner.ttl = 0;
  packet.outer.ttl = 0;
  return packet;
}

}  // namespace

forward::Packet shape_of(forward::Packet packet) {
  packet.inner.total_length = 0;
  packet.inner.identification = 0;
  packet.outer.total_length = 0;
  packet.outer.identification = 0;
  packet.padding = 0;
  return packet;
}

void FlowCacheHeaders::add(const forward::Packet& packet, IpAddress next_hop) {
  const forward::Packet kept = shape_without_ttls(packet);
  const auto same = std::ranges::find_if(
      packets_, [&](const forward::Packet& other) { return shape_without_ttls(other) == kept; });
  const auto index = static_cast<std::uint8_t>(same - packets_.begin());
  if (same == packets_.end()) packets_.push_back(packet);
  stages_[count_] = {index, packet.inner.ttl, packet.outer.ttl};
  next_hops_[count_++] = next_hop;
}

CacheEntryId FlowCache::begin(EndpointId end, const forward::Packet& header) {
  const CacheEntryId id = allocate();
  if (id == kNone) return kNone;
  flow_cache_[id].end = end;
  flow_cache_[id].current = true;
  headers_[id] = {};
  headers_[id].add(header, {});
  return of_end_[end] = id;
}

CacheEntryId FlowCache::branch(CacheEntryId id, std::size_t stage) {
  const CacheEntryId next = allocate();
  if (next == kNone) return kNone;
  flow_cache_[next].end = flow_cache_[id].end;
  flow_cache_[next].known = static_cast<std::uint8_t>(stage);
  flow_cache_[next].decisions = flow_cache_[id].decisions;
  headers_[next] = headers_[id];
  headers_[next].cut_behind(stage);
  if (id < repeats_.size()) {
    repeats_.resize(flow_cache_.size());
    repeats_[next] = repeats_[id];
  }
  CacheEntryId& current = place_of(id);
  if (current == kNone || shape_of(headers_[current][0]) != shape_of(headers_[id][0])) return next;
  if (id < originals_.size()) {
    originals_.resize(flow_cache_.size());
    originals_[next] = originals_[id];
  }
  retire(std::exchange(current, next));
  flow_cache_[next].current = true;
  return next;
}

void FlowCache::forget(EndpointId end) {
  if (end >= of_end_.size()) of_end_.resize(end + 1, kNone);
  retire(std::exchange(of_end_[end], kNone));
}

/// The variable that holds the number of the current entry for the packets of this entry.
CacheEntryId& FlowCache::place_of(CacheEntryId id) {
  const bool is_copy = id < originals_.size() && originals_[id].partition != kNone;
  if (!is_copy) return of_end_[flow_cache_[id].end];
  return copies_[originals_[id].partition][originals_[id].entry];
}

/// Ends the use of an entry by new packets. Does nothing for kNone.
void FlowCache::retire(CacheEntryId id) {
  if (id == kNone) return;
  flow_cache_[id].current = false;
  if (flow_cache_[id].in_flight == 0) free_.push_back(id);
}

FlowCacheCopy FlowCache::carry(CacheEntryId id, std::size_t stage) {
  FlowCacheEntry& cache_entry = flow_cache_[id];
  cache_entry.carried = true;
  FlowCacheCopy copy{.end = cache_entry.end,
                     .known = static_cast<std::uint8_t>(stage),
                     .decisions = cache_entry.decisions,
                     .headers = headers_[id]};
  copy.headers.cut_behind(stage);
  return copy;
}

void FlowCache::take_over(std::uint32_t partition, CacheEntryId original, FlowCacheCopy copy) {
  if (free_.empty()) free_.push_back(add());  // There are no more copies than originals.
  const CacheEntryId id = free_.back();
  free_.pop_back();
  flow_cache_[id] = {
      .end = copy.end, .known = copy.known, .current = true, .decisions = copy.decisions};
  headers_[id] = std::move(copy.headers);
  if (copies_.size() <= partition) copies_.resize(partition + std::size_t{1});
  std::vector<CacheEntryId>& copies = copies_[partition];
  if (copies.size() <= original) copies.resize(original + std::size_t{1}, kNone);
  retire(std::exchange(copies[original], id));
  originals_.resize(flow_cache_.size());
  originals_[id] = {partition, original};
}

CacheEntryId FlowCache::add() {
  flow_cache_.emplace_back();
  headers_.emplace_back();
  return static_cast<CacheEntryId>(flow_cache_.size() - 1);
}

CacheEntryId FlowCache::allocate() {
  if (free_.empty() && flow_cache_.size() < kMaxEntries) return add();
  if (free_.empty() && !make_room()) return kNone;
  const CacheEntryId id = free_.back();
  free_.pop_back();
  flow_cache_[id] = {};
  if (id < originals_.size()) originals_[id] = {};
  return id;
}

/// The second-chance algorithm: one round of the hand spares entries used since the last round.
bool FlowCache::make_room() {
  for (int looked = 0; looked < kMaxLooks; ++looked) {
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
