#include "scenarios/migration/outages/outages.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/timer_wheel.h"

namespace overlane::migration {

Intervals joined(Intervals intervals) {
  if (intervals.size() < 2) return intervals;
  std::ranges::sort(intervals, {}, &Interval::begin);
  Intervals result;
  for (const Interval& one : intervals) {
    if (!result.empty() && one.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, one.end);
    } else {
      result.push_back(one);
    }
  }
  return result;
}

Intervals in_both(const Intervals& a, const Intervals& b) {
  Intervals result;
  for (const Interval& one : a)
    for (const Interval& other : b) {
      const Interval common{std::max(one.begin, other.begin), std::min(one.end, other.end)};
      if (common.begin < common.end) result.push_back(common);
    }
  return result;
}

Intervals in_either(Intervals a, const Intervals& b) {
  a.insert(a.end(), b.begin(), b.end());
  return joined(std::move(a));
}

Picos longest_of(const Intervals& intervals) {
  Picos longest;
  for (const Interval& one : intervals)
    if (one.end != kNever) longest = std::max(longest, one.end - one.begin);
  return longest;
}

std::vector<Interval> tcp_transmissions() {
  constexpr int kRetries = 15;  // net.ipv4.tcp_retries2
  constexpr transport::TimerWheel kTimers{.tick = transport::kTick};
  // Round trips between nodes take less than a tick, which the longest timeout contains.
  Picos shortest = transport::kMinTimeout, longest = shortest + transport::kTick;
  // The loss probe comes at the latest as long after the packet as a timeout, if only one packet is
  // out (tcp_schedule_loss_probe).
  std::vector<Interval> transmissions{{Picos{}, kTimers.longest(longest)}};
  for (int retry = 0; retry < kRetries; ++retry) {
    const Interval last = transmissions.back();
    transmissions.push_back({last.begin + shortest, last.end + kTimers.longest(longest)});
    shortest = std::min(shortest * 2, transport::kMaxTimeout);
    longest = std::min(longest * 2, transport::kMaxTimeout);
  }
  return transmissions;
}

std::optional<Picos> tcp_stall(Picos outage) {
  if (outage.count == 0) return Picos{};
  for (const Interval& one : tcp_transmissions())
    if (one.begin >= outage) return one.end;
  return std::nullopt;
}

TcpPause tcp_pause(const Intervals& forward, const Intervals& back, Picos end) {
  TcpPause pause;
  for (const Interval& one : forward)
    pause.min = std::max(pause.min, std::min(one.end, end) - std::min(one.begin, end));
  const Intervals both = in_either(forward, back);
  const std::vector<Interval> transmissions = tcp_transmissions();
  Picos over;  // End of the last pause.
  for (const Interval& one : both) {
    if (one.begin >= end) break;
    if (one.begin < over) continue;
    const auto arrives = [&](const Interval& sent) {
      return std::ranges::none_of(both, [&](const Interval& outage) {
        return outage.begin <= one.begin + sent.end && outage.end > one.begin + sent.begin;
      });
    };
    const auto first = std::ranges::find_if(transmissions, arrives);
    over = first == transmissions.end() ? end : std::min(one.begin + first->end, end);
    pause.max = std::max(pause.max, over - one.begin);
  }
  return pause;
}

namespace {

/// An outage of one direction of a connection.
struct OfConnection {
  std::pair<std::uint32_t, std::uint32_t> nodes;  ///< The smaller number first.
  const Outage* outage = nullptr;
};

std::vector<OfConnection> by_connection(const std::vector<Outage>& outages) {
  std::vector<OfConnection> list;
  list.reserve(outages.size());
  for (const Outage& outage : outages)
    list.push_back({std::minmax(outage.from, outage.to), &outage});
  std::ranges::sort(list, [](const OfConnection& a, const OfConnection& b) {
    return std::tie(a.nodes, a.outage->begin) < std::tie(b.nodes, b.outage->begin);
  });
  return list;
}

/// The result of a class, and the longest outage of each of its affected connections.
struct Collected {
  ClassOutages result;
  std::vector<Picos> longest;
  std::map<Drop, std::uint64_t> reasons;
};

/// Adds the outages of both directions of a connection. Outages that touch count as one.
void add_connection(std::span<const OfConnection> outages, Collected& to) {
  ClassOutages& result = to.result;
  ++result.affected;
  Intervals intervals;
  for (const auto& [nodes, outage] : outages) {
    ++to.reasons[outage->reason];
    if (!outage->end) result.lasting_reason = outage->last_reason;
    intervals.push_back({outage->begin, outage->end.value_or(kNever)});
  }
  intervals = joined(std::move(intervals));
  const Picos longest = longest_of(intervals);
  to.longest.push_back(longest);
  result.longest = std::max(result.longest, longest);
  const auto [first, ignored] = intervals.front();
  result.first_begin = std::min(result.first_begin.value_or(first), first);
  if (last_forever(intervals)) {
    ++result.lasting;
  } else {
    const Picos last = intervals.back().end;
    result.last_end = std::max(result.last_end.value_or(last), last);
  }
}

ClassOutages summary(Collected collected) {
  ClassOutages& result = collected.result;
  if (!collected.longest.empty()) {
    const auto middle =
        collected.longest.begin() + static_cast<std::ptrdiff_t>(collected.longest.size() / 2);
    std::ranges::nth_element(collected.longest, middle);
    result.median = *middle;
  }
  result.reasons.assign(collected.reasons.begin(), collected.reasons.end());
  std::ranges::stable_sort(result.reasons, std::greater(), &std::pair<Drop, std::uint64_t>::second);
  return result;
}

std::uint64_t pairs_of(std::uint64_t nodes) {
  return nodes * (nodes - 1) / 2;
}

}  // namespace

OutageRecorder::OutageRecorder(const path::Reachability& reachability, std::uint32_t probe,
                               std::uint32_t nodes, std::uint32_t joining, bool (*counts)(Drop))
    : probe_(probe),
      nodes_(nodes),
      absent_(nodes, false),
      counts_(counts),
      open_(std::size_t{nodes} * nodes, 0) {
  std::fill_n(absent_.rbegin(), joining, true);
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to)
      if (const path::PairOutcome outcome = reachability.outcome(from, to, probe_);
          is_outage(outcome) && !absent_[from] && !absent_[to])
        begin(from, to, *outcome.drop, {});
}

void OutageRecorder::join(const path::Reachability& reachability, std::uint32_t node, Picos now) {
  absent_[node] = false;
  for (std::uint32_t peer = 0; peer < nodes_; ++peer) {
    if (peer == node || absent_[peer]) continue;
    for (const auto& [from, to] : {std::pair(node, peer), std::pair(peer, node)})
      if (const path::PairOutcome outcome = reachability.outcome(from, to, probe_);
          is_outage(outcome))
        begin(from, to, *outcome.drop, now);
  }
}

void OutageRecorder::leave(std::uint32_t node, Picos now) {
  absent_[node] = true;
  for (std::uint32_t peer = 0; peer < nodes_; ++peer)
    for (const auto& [from, to] : {std::pair(node, peer), std::pair(peer, node)})
      end(from, to, now);
}

void OutageRecorder::begin(std::uint32_t from, std::uint32_t to, Drop reason, Picos now) {
  outages_.push_back({from, to, now, std::nullopt, reason, reason});
  open_[std::size_t{from} * nodes_ + to] = static_cast<std::uint32_t>(outages_.size());
}

void OutageRecorder::end(std::uint32_t from, std::uint32_t to, Picos now) {
  std::uint32_t& open = open_[std::size_t{from} * nodes_ + to];
  if (open != 0) outages_[std::exchange(open, 0) - 1].end = now;
}

void OutageRecorder::see(const path::PairChange& change, Picos now) {
  assert(change.probe == probe_);
  if (absent_[change.from] || absent_[change.to]) return;
  if (!is_outage(change.now)) {
    end(change.from, change.to, now);
  } else if (const auto open = open_[std::size_t{change.from} * nodes_ + change.to]; open != 0) {
    outages_[open - 1].last_reason = *change.now.drop;
  } else {
    begin(change.from, change.to, *change.now.drop, now);
  }
}

std::vector<Outage> OutageRecorder::take() {
  std::erase_if(outages_, [](const Outage& outage) { return outage.end == outage.begin; });
  std::ranges::sort(outages_, [](const Outage& a, const Outage& b) {
    return std::tie(a.from, a.to, a.begin) < std::tie(b.from, b.to, b.begin);
  });
  return std::move(outages_);
}

std::string_view to_string(PairClass which) {
  return which == PairClass::WithinZone ? "within a zone" : "across zones";
}

PairClass class_of(const std::vector<std::uint32_t>& zones, std::uint32_t a, std::uint32_t b) {
  return zones[a] == zones[b] ? PairClass::WithinZone : PairClass::AcrossZones;
}

std::array<std::uint64_t, 2> pairs_by_class(const std::vector<std::uint32_t>& zones,
                                            const Presence& presence) {
  if (!presence.empty()) {
    std::array<std::uint64_t, 2> pairs{};
    for (std::uint32_t a = 0; a < zones.size(); ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        pairs[static_cast<std::size_t>(class_of(zones, a, b))] += coexist(presence, a, b);
    return pairs;
  }
  std::map<std::uint32_t, std::uint64_t> nodes_in;
  for (const std::uint32_t zone : zones)
    ++nodes_in[zone];
  std::uint64_t within = 0;
  for (const auto& [zone, nodes] : nodes_in)
    within += pairs_of(nodes);
  return {within, pairs_of(zones.size()) - within};
}

std::vector<ClassOutages> by_class(const std::vector<Outage>& outages,
                                   const std::vector<std::uint32_t>& zones,
                                   const Presence& presence) {
  std::array<Collected, 2> classes;
  const auto connections = pairs_by_class(zones, presence);
  for (const PairClass which : {PairClass::WithinZone, PairClass::AcrossZones}) {
    const auto index = static_cast<std::size_t>(which);
    classes[index].result.which = which;
    classes[index].result.connections = connections[index];
  }
  const std::vector<OfConnection> list = by_connection(outages);
  for (std::size_t first = 0; first < list.size();) {
    std::size_t last = first;
    while (last < list.size() && list[last].nodes == list[first].nodes)
      ++last;
    const auto [a, b] = list[first].nodes;
    add_connection(std::span(list).subspan(first, last - first),
                   classes[static_cast<std::size_t>(class_of(zones, a, b))]);
    first = last;
  }
  std::vector<ClassOutages> result;
  for (Collected& collected : classes)
    if (collected.result.connections > 0) result.push_back(summary(std::move(collected)));
  return result;
}

namespace {

/// By time: number of pairs that become interrupted minus number of pairs that recover.
using Steps = std::map<Picos, std::int64_t>;

void add(const Outage& outage, Steps& steps) {
  ++steps[outage.begin];
  if (outage.end) --steps[*outage.end];
}

InterruptedShare share_of(const Steps& steps, std::uint64_t pairs, const TimeColumns& columns) {
  InterruptedShare share;
  std::int64_t interrupted = 0;
  auto step = steps.begin();
  for (std::uint32_t i = 0; i < columns.count; ++i) {
    const Picos from = columns.begin + columns.column * i;
    for (; step != steps.end() && step->first <= from; ++step)
      interrupted += step->second;
    std::int64_t most = interrupted;
    for (; step != steps.end() && step->first < from + columns.column; ++step) {
      interrupted += step->second;
      most = std::max(most, interrupted);
    }
    share.push_back(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(most) * 1'000'000 / pairs));
  }
  return share;
}

}  // namespace

TimeColumns columns_between(Picos begin, Picos end, std::uint32_t count) {
  const Picos column{std::max<std::int64_t>(((end - begin).count + count - 1) / count, 1)};
  return {begin, column, count};
}

TimeColumns time_columns(const std::vector<Outage>& outages, std::uint32_t count) {
  Picos begin = outages.front().begin;
  Picos end = begin;
  for (const Outage& outage : outages) {
    begin = std::min(begin, outage.begin);
    end = std::max(end, outage.end.value_or(outage.begin));
  }
  const bool lasts = std::ranges::any_of(outages, [](const Outage& o) { return !o.end; });
  if (lasts) end += std::max((end - begin) / 10, seconds(1));
  return columns_between(begin, end, count);
}

std::vector<std::pair<PairClass, InterruptedShare>> share_by_class(
    const std::vector<Outage>& outages, const std::vector<std::uint32_t>& zones,
    const TimeColumns& columns, const Presence& presence) {
  std::array<Steps, 2> steps;
  for (const Outage& outage : outages)
    add(outage, steps[static_cast<std::size_t>(class_of(zones, outage.from, outage.to))]);
  const auto pairs = pairs_by_class(zones, presence);
  std::vector<std::pair<PairClass, InterruptedShare>> shares;
  for (const PairClass which : {PairClass::WithinZone, PairClass::AcrossZones}) {
    const auto index = static_cast<std::size_t>(which);
    if (pairs[index] > 0)
      shares.emplace_back(which, share_of(steps[index], 2 * pairs[index], columns));
  }
  return shares;
}

std::vector<InterruptedShare> share_by_node(const std::vector<Outage>& outages, std::uint32_t nodes,
                                            const TimeColumns& columns) {
  std::vector<Steps> steps(nodes);
  for (const Outage& outage : outages) {
    add(outage, steps[outage.from]);
    add(outage, steps[outage.to]);
  }
  std::vector<InterruptedShare> shares;
  for (const Steps& of_node : steps)
    shares.push_back(share_of(of_node, 2 * (std::uint64_t{nodes} - 1), columns));
  return shares;
}

}  // namespace overlane::migration
