#include "dataplane/node/path_mtu.h"

#include <algorithm>

namespace overlane::node {

void PathMtuCache::learn(IpAddress destination, std::uint32_t mtu, Picos now) {
  mtu = std::max(mtu, kPathMtuMinimum);
  const auto known = find(destination, now);
  if (known && *known < mtu) return;
  if (!known) make_room(now);
  entries_[destination] = {mtu, now + kPathMtuExpiry};
}

std::optional<std::uint32_t> PathMtuCache::find(IpAddress destination, Picos now) const {
  const auto at = entries_.find(destination);
  if (at == entries_.end() || at->second.expires <= now) return std::nullopt;
  return at->second.mtu;
}

void PathMtuCache::make_room(Picos now) {
  if (entries_.size() < kPathMtuEntries) return;
  std::erase_if(entries_, [=](const auto& entry) { return entry.second.expires <= now; });
  if (entries_.size() < kPathMtuEntries) return;
  entries_.erase(std::ranges::min_element(entries_, {},
                                          [](const auto& entry) { return entry.second.expires; }));
}

}  // namespace overlane::node
