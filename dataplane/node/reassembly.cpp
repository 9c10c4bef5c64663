#include "dataplane/node/reassembly.h"

#include <algorithm>

namespace overlane::node {
namespace {

/// Behind a header of 20 bytes in IPv4; an IPv6 payload length does not count its header.
constexpr std::uint32_t largest_payload(Family family) {
  return family == Family::Ipv4 ? 65535 - 20 : 65535;
}

}  // namespace

Reassembled ReassemblyTable::add(const ReassemblyKey& key, const Piece& piece, Picos now) {
  retire(now);
  if (piece.begin >= piece.end || piece.end > largest_payload(key.destination.family()) ||
      (!piece.last && (piece.end - piece.begin) % 8 != 0)) {
    return {.drop = Drop::Malformed};
  }
  if (pieces_ >= kReassemblyPieces) return {.drop = Drop::ReassemblyOverflow};

  const auto [at, is_new] = entries_.try_emplace(key);
  Entry& entry = at->second;
  if (is_new) {
    entry.expires = now + kReassemblyTimeout;
    by_expiry_.emplace(entry.expires, key);
  }
  const std::pair range{piece.begin, piece.end};
  const auto next = std::ranges::lower_bound(entry.ranges, range);
  const bool overlaps = (next != entry.ranges.end() && next->first < piece.end) ||
                        (next != entry.ranges.begin() && std::prev(next)->second > piece.begin);
  const bool beyond_end =
      (entry.total && piece.end > *entry.total) || (piece.last && entry.total) ||
      (piece.last && !entry.ranges.empty() && entry.ranges.back().second > piece.end);
  if (overlaps || beyond_end) return {.drop = Drop::Malformed};

  entry.ranges.insert(next, range);
  entry.received += piece.end - piece.begin;
  ++pieces_;
  if (piece.last) entry.total = piece.end;
  if (piece.begin == 0) entry.first = piece.header;
  if (entry.received != entry.total) return {};

  Reassembled whole{.whole = entry.first, .payload_bytes = *entry.total};
  pieces_ -= entry.ranges.size();
  by_expiry_.erase({entry.expires, key});
  entries_.erase(at);
  return whole;
}

void ReassemblyTable::retire(Picos now) {
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    const auto at = entries_.find(by_expiry_.begin()->second);
    expired_.push_back({at->first, static_cast<std::int64_t>(at->second.ranges.size())});
    pieces_ -= at->second.ranges.size();
    entries_.erase(at);
    by_expiry_.erase(by_expiry_.begin());
  }
}

std::vector<ReassemblyTable::Expired> ReassemblyTable::expire(Picos now) {
  retire(now);
  return std::exchange(expired_, {});
}

std::optional<Picos> ReassemblyTable::next_expiry() const {
  if (by_expiry_.empty()) return std::nullopt;
  return by_expiry_.begin()->first;
}

}  // namespace overlane::node
