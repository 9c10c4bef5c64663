#include "dataplane/dpdk/slow/unresolved_sources.h"

#include <utility>

namespace overlane::dpdk {

bool UnresolvedSources::keep(IpAddress source, std::span<const std::uint8_t> frame) {
  Frames& waiting = frames_[source];
  if (waiting.size() == kMaxOfOne) return false;
  waiting.emplace_back(frame.begin(), frame.end());
  ++size_;
  return true;
}

std::vector<IpAddress> UnresolvedSources::sources() const {
  std::vector<IpAddress> sources;
  for (const auto& [source, waiting] : frames_)
    sources.push_back(source);
  return sources;
}

UnresolvedSources::Frames UnresolvedSources::remove(IpAddress source) {
  const auto waiting = frames_.extract(source);
  size_ -= waiting.mapped().size();
  return std::move(waiting.mapped());
}

}  // namespace overlane::dpdk
