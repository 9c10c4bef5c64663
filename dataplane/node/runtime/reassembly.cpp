#include "dataplane/node/runtime/reassembly.h"

#include <algorithm>

namespace overlane::node {
namespace {

/// Returns the largest payload in bytes. An IPv4 packet also holds its header of 20 bytes; an IPv6
/// payload length does not count the header.
constexpr std::uint32_t largest_payload(Family family) {
  return family == Family::Ipv4 ? 65535 - 20 : 65535;
}

/// The ECN field and two of its values (RFC 3168).
constexpr std::uint8_t kEcnMask = 3;
constexpr std::uint8_t kNotEct = 0;
constexpr std::uint8_t kCe = 3;

}  // namespace

bool is_uneven(Family family, const Fragment& fragment) {
  return family == Family::Ipv6 && !fragment.last && fragment.end % 8 != 0;
}

bool ends_too_late(Family family, const Fragment& fragment) {
  return family == Family::Ipv6 && fragment.end > largest_payload(family);
}

Reassembled ReassemblyTable::add(const ReassemblyKey& key, const Fragment& fragment, Picos now,
                                 Picos timeout) {
  retire(now);
  const Family family = key.destination.family();
  const std::uint32_t left_over = fragment.last ? 0 : fragment.end % 8;
  const Run run{fragment.begin, fragment.end - (family == Family::Ipv4 ? left_over : 0)};
  if (run.begin >= run.end || run.end > largest_payload(family) || is_uneven(family, fragment)) {
    return {.drop = Drop::Malformed};
  }
  if (fragments_ >= kReassemblyFragments) return {.drop = Drop::ReassemblyOverflow};

  const auto [at, is_new] = entries_.try_emplace(key);
  Entry& entry = at->second;
  if (is_new) {
    entry.expires = now + timeout;
    by_expiry_.emplace(entry.expires, key);
  }
  const bool contradicts = fragment.last
                               ? run.end < entry.end || (entry.knows_total && run.end != entry.end)
                               : entry.knows_total && run.end > entry.end;
  if (contradicts) return give_up(at, Drop::Malformed);
  entry.end = std::max(entry.end, run.end);
  entry.knows_total = entry.knows_total || fragment.last;
  const Fit fit = insert(entry.runs, run);
  if (fit == Fit::Overlap) return give_up(at, Drop::Malformed);
  if (fit == Fit::Duplicate) return {.drop = Drop::Malformed};

  entry.received += run.end - run.begin;
  entry.ecn |= static_cast<std::uint8_t>(1u << (fragment.header.tos & kEcnMask));
  entry.ends.insert(std::ranges::upper_bound(entry.ends, run.end), run.end);
  const std::uint32_t size = fragment.header.option_bytes + run.end - run.begin;
  entry.largest = std::max(entry.largest, size);
  if (fragment.header.dont_fragment) entry.largest_df = std::max(entry.largest_df, size);
  entry.device = fragment.device;
  ++entry.fragments;
  ++fragments_;
  if (fragment.begin == 0) entry.first = fragment.header;
  if (!entry.knows_total || entry.received != entry.end) return {};
  return complete(at);
}

ReassemblyTable::Fit ReassemblyTable::insert(std::vector<Run>& runs, Run fragment) {
  if (runs.empty() || fragment.end > runs.back().end) {
    if (!runs.empty() && fragment.begin < runs.back().end) return Fit::Overlap;
    if (!runs.empty() && fragment.begin == runs.back().end) {
      runs.back().end = fragment.end;
    } else {
      runs.push_back(fragment);
    }
    return Fit::New;
  }
  const auto next = std::ranges::upper_bound(runs, fragment.begin, {}, &Run::end);
  if (next->begin >= fragment.end) {
    runs.insert(next, fragment);
    return Fit::New;
  }
  const bool is_inside = fragment.begin >= next->begin && fragment.end <= next->end;
  return is_inside ? Fit::Duplicate : Fit::Overlap;
}

void ReassemblyTable::forget(Entries::iterator at) {
  fragments_ -= at->second.fragments;
  by_expiry_.erase({at->second.expires, at->first});
  entries_.erase(at);
}

Reassembled ReassemblyTable::give_up(Entries::iterator at, Drop drop) {
  if (at->second.fragments > 0) {
    Entry& entry = at->second;
    Expired lost{.key = at->first,
                 .fragments = static_cast<std::int64_t>(entry.fragments),
                 .drop = drop,
                 .device = entry.device};
    if (drop == Drop::ReassemblyTimeout && entry.first) {
      lost.first = std::move(entry.first);
      lost.first_end = entry.ends.front();
    }
    expired_.push_back(std::move(lost));
  }
  forget(at);
  return {.drop = drop, .given_up = true};
}

void ReassemblyTable::give_up(const ReassemblyKey& key) {
  const auto at = entries_.find(key);
  if (at != entries_.end()) give_up(at, Drop::Malformed);
}

Reassembled ReassemblyTable::complete(Entries::iterator at) {
  Entry& entry = at->second;
  const bool has_ce = (entry.ecn & 1u << kCe) != 0;
  const bool only_not_ect = entry.ecn == 1u << kNotEct;
  const bool corrupted = !only_not_ect && (entry.ecn & 1u << kNotEct) != 0;
  const bool too_long =
      entry.first->option_bytes + entry.end > largest_payload(at->first.destination.family());
  if (corrupted || too_long) {
    // The completing fragment is not one of the held fragments: the result is its own drop.
    --at->second.fragments;
    --fragments_;
    return give_up(at, corrupted ? Drop::EcnCorrupted : Drop::Malformed);
  }
  Reassembled whole{.whole = entry.first,
                    .payload_bytes = entry.end,
                    .ends = std::move(entry.ends),
                    .largest = entry.largest};
  whole.whole->dont_fragment = entry.largest_df == entry.largest;
  if (has_ce) whole.whole->tos |= kCe;
  forget(at);
  return whole;
}

void ReassemblyTable::retire(Picos now) {
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now)
    give_up(entries_.find(by_expiry_.begin()->second), Drop::ReassemblyTimeout);
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
