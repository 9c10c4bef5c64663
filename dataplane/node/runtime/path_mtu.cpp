#include "dataplane/node/runtime/path_mtu.h"

#include <algorithm>

namespace overlane::node {

void PathMtuCache::learn(IpAddress destination, std::uint32_t mtu, Picos now) {
  uses_.add();
  const bool ipv4 = destination.is_ipv4();
  const std::uint32_t minimum = ipv4 ? kPathMtuMinimum : kIpv6PathMtuMinimum;
  const PathMtu path{.mtu = std::max(mtu, minimum), .locked = ipv4 && mtu < minimum};
  const auto known = find(destination, now);
  if (known && known->mtu < path.mtu) return;
  if (!known) make_room(now);
  entries_[destination] = {path, now + kPathMtuExpiry};
  ++times_learned_;
}

std::vector<IpAddress> PathMtuCache::destinations() const {
  std::vector<IpAddress> all;
  for (const auto& [destination, entry] : entries_)
    all.push_back(destination);
  return all;
}

std::optional<PathMtu> PathMtuCache::find(IpAddress destination, Picos now) const {
  const auto at = entries_.find(destination);
  if (at == entries_.end() || at->second.expires <= now) return std::nullopt;
  uses_.add();
  return at->second.path;
}

void PathMtuCache::forget(const std::function<bool(IpAddress)>& is_lost) {
  std::erase_if(entries_, [&](const auto& entry) { return is_lost(entry.first); });
}

void PathMtuCache::follow_device(std::uint32_t before, std::uint32_t now,
                                 const std::function<bool(IpAddress)>& leads_to) {
  for (auto& [destination, entry] : entries_) {
    auto& [mtu, locked] = entry.path;
    const bool follows = now < mtu || (locked ? now == mtu : before == mtu);
    if (!follows || !leads_to(destination)) continue;
    mtu = now;
    locked = false;
  }
}

void PathMtuCache::make_room(Picos now) {
  if (entries_.size() < kPathMtuEntries) return;
  std::erase_if(entries_, [=](const auto& entry) { return entry.second.expires <= now; });
  if (entries_.size() < kPathMtuEntries) return;
  entries_.erase(std::ranges::min_element(entries_, {},
                                          [](const auto& entry) { return entry.second.expires; }));
}

}  // namespace overlane::node
