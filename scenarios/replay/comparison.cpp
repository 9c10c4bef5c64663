#include "scenarios/replay/comparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "scenarios/migration/outages/other_traffic.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::replay {
namespace {

using migration::Interval;
using migration::Intervals;
using migration::kNever;
using migration::Outage;
using migration::SwitchResult;

constexpr Picos kMinTolerance = milliseconds(200);

/// How far a duration may be from a predicted one.
Picos tolerance(Picos predicted) {
  return std::max(kMinTolerance, predicted / 10);
}
bool is_near(Picos observed, Picos predicted) {
  const Picos off = observed > predicted ? observed - predicted : predicted - observed;
  return off <= tolerance(predicted);
}

using PairOfNodes = std::pair<std::uint32_t, std::uint32_t>;
using IntervalsByPair = std::map<PairOfNodes, Intervals>;

IntervalsByPair predicted_intervals(const std::vector<Outage>& outages) {
  IntervalsByPair by_pair;
  for (const Outage& outage : outages)
    by_pair[{outage.from, outage.to}].push_back({outage.begin, outage.end.value_or(kNever)});
  return by_pair;
}

IntervalsByPair observed_intervals(const Observation& observation, Traffic traffic) {
  IntervalsByPair by_pair;
  for (const Interruption& one : observation.interruptions)
    if (one.traffic == traffic)
      by_pair[{one.from, one.to}].push_back({one.begin, one.end.value_or(kNever)});
  return by_pair;
}

/// The parts of `intervals` that are outside of `others`, after each of `others` was extended by
/// `slack` at both ends.
Intervals outside(const Intervals& intervals, Intervals others, Picos slack) {
  for (Interval& other : others) {
    other.begin -= slack;
    if (other.end != kNever) other.end += slack;
  }
  others = joined(std::move(others));
  Intervals left;
  for (Interval rest : intervals) {
    for (const Interval& other : others) {
      if (other.end <= rest.begin || other.begin >= rest.end) continue;
      if (other.begin > rest.begin) left.push_back({rest.begin, other.begin});
      rest.begin = std::min(other.end, rest.end);
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return left;
}

/// The observed interruptions. Those of full datagrams count only while smaller ones arrive, as in
/// the prediction.
IntervalsByPair observed_outages(const Observation& observation, Traffic traffic) {
  IntervalsByPair by_pair = observed_intervals(observation, traffic);
  if (traffic != Traffic::FullSize) return by_pair;
  const IntervalsByPair small = observed_intervals(observation, Traffic::PodToPod);
  for (auto& [pair, intervals] : by_pair)
    if (const auto at = small.find(pair); at != small.end())
      intervals = outside(intervals, joined(at->second), observation.interval * 2);
  return by_pair;
}

/// Summarizes intervals within the observed time.
Interrupted summary(const IntervalsByPair& by_pair, const PairOfNodes& pair,
                    const Observation& observation) {
  Interrupted made;
  const auto at = by_pair.find(pair);
  if (at == by_pair.end()) return made;
  for (const Interval& one : migration::joined(at->second)) {
    const Picos begin = std::max(one.begin, observation.begin);
    const Picos end = std::min(one.end, observation.end);
    if (end <= begin) continue;
    made.total += end - begin;
    made.longest = std::max(made.longest, end - begin);
    made.lasts = one.end == kNever;
  }
  return made;
}

Figures figures_of(const IntervalsByPair& by_pair, const Observation& observation) {
  Figures figures;
  std::vector<Picos> longest;
  for (const auto& [pair, intervals] : by_pair) {
    const Interrupted of_pair = summary(by_pair, pair, observation);
    // Probes do not see shorter interruptions.
    if (of_pair.total < observation.interval * 2) continue;
    ++figures.interrupted;
    if (of_pair.lasts) {
      ++figures.lasting;
      continue;
    }
    longest.push_back(of_pair.longest);
  }
  std::ranges::sort(longest);
  if (!longest.empty()) {
    figures.longest = longest.back();
    figures.median = longest[longest.size() / 2];
  }
  return figures;
}

void widen(Figures& min, Figures& max, const Figures& one) {
  const auto widen_by = [&](auto member) {
    min.*member = std::min(min.*member, one.*member);
    max.*member = std::max(max.*member, one.*member);
  };
  widen_by(&Figures::interrupted);
  widen_by(&Figures::lasting);
  widen_by(&Figures::longest);
  widen_by(&Figures::median);
}

Intervals intervals_of(const IntervalsByPair& by_pair, std::uint32_t from, std::uint32_t to) {
  const auto at = by_pair.find({from, to});
  return at == by_pair.end() ? Intervals() : migration::joined(at->second);
}

/// The intervals, each longer by its tolerance.
Intervals lengthened(Intervals intervals) {
  for (Interval& one : intervals)
    if (one.end != kNever) one.end += tolerance(one.end - one.begin);
  return migration::joined(std::move(intervals));
}
/// The intervals until `end`, each shorter by its tolerance.
Intervals shortened(Intervals intervals, Picos end) {
  for (Interval& one : intervals)
    one.begin += tolerance(std::min(one.end, end) - one.begin);
  std::erase_if(intervals, [](const Interval& one) { return one.end <= one.begin; });
  return intervals;
}

/// The prediction for the connections of a switch.
class PredictedConnections {
 public:
  explicit PredictedConnections(const SwitchResult& predicted)
      : ended_(predicted.ended),
        pods_(predicted_intervals(predicted.outages)),
        node_ports_(predicted_intervals(outages_of(predicted, Traffic::NodePort))) {}

  ComparedConnection beside(const ConnectionRecord& observed, Picos end) const {
    const auto [client, server] = std::pair(observed.client, observed.server);
    if (observed.traffic == Traffic::NodePort)
      return {observed, is_ended(client, server, end) ||
                            last_forever(intervals_of(node_ports_, client, server))};
    const Intervals forward = intervals_of(pods_, client, server);
    const Intervals back = intervals_of(pods_, server, client);
    ComparedConnection made{observed, last_forever(forward) || last_forever(back)};
    if (observed.use != kernel::ConnectionUse::Stream) return made;
    using migration::tcp_pause;
    made.pause = tcp_pause(forward, back, end);
    made.explained = {tcp_pause(shortened(forward, end), shortened(back, end), end).min,
                      tcp_pause(lengthened(forward), lengthened(back), end).max};
    return made;
  }

 private:
  bool is_ended(std::uint32_t from, std::uint32_t to, Picos end) const {
    return std::ranges::any_of(ended_, [&](const migration::EndedConnection& one) {
      return one.from == from && one.to == to && one.at <= end;
    });
  }

  const std::vector<migration::EndedConnection>& ended_;
  IntervalsByPair pods_;
  IntervalsByPair node_ports_;
};

/// Whether traffic of this kind is probed to the node.
bool is_probed(Traffic traffic, std::uint32_t to, const SwitchResult& predicted) {
  return traffic != Traffic::Dns ||
         std::ranges::count(migration::dns_nodes(predicted.presence), to) > 0;
}

}  // namespace

Picos ComparedPair::off_by() const {
  const auto off = [](Picos a, Picos b) { return a > b ? a - b : b - a; };
  return std::max(off(predicted.total, observed.total), off(predicted.longest, observed.longest));
}

bool ComparedPair::agrees() const {
  return predicted.lasts == observed.lasts && is_near(observed.total, predicted.total) &&
         is_near(observed.longest, predicted.longest);
}

bool ComparedConnection::agrees() const {
  if (explained)
    return (observed.failure.empty() || is_predicted_to_end) &&
           observed.longest_wait >= explained->min &&
           observed.longest_wait <= explained->max + kMinTolerance;
  return (!observed.is_answered || !observed.failure.empty()) == is_predicted_to_end;
}

std::size_t Comparison::agreeing() const {
  return static_cast<std::size_t>(std::ranges::count_if(pairs, &ComparedPair::agrees));
}

std::size_t Comparison::agreeing_connections() const {
  return static_cast<std::size_t>(std::ranges::count_if(connections, &ComparedConnection::agrees));
}

bool Comparison::agrees() const {
  constexpr std::size_t kPercent = 95;
  return agreeing() * 100 >= pairs.size() * kPercent &&
         agreeing_connections() * 100 >= connections.size() * kPercent;
}

std::vector<Outage> outages_of(const SwitchResult& predicted, Traffic traffic) {
  switch (traffic) {
    case Traffic::NodeToPod:
    case Traffic::NodePort:
      return predicted.node_to_pod;
    case Traffic::PodToNode:
      return predicted.pod_to_node;
    case Traffic::FullSize:
      return predicted.full_size;
    case Traffic::Dns:
      return dns_outages(predicted.outages, predicted.presence);
    case Traffic::PodToPod:
      break;
  }
  return predicted.outages;
}

Comparison compare(const SwitchResult& predicted, const Observation& observation) {
  Comparison made;
  const auto nodes = static_cast<std::uint32_t>(observation.nodes.size());
  for (const Traffic traffic : observation.traffic) {
    const IntervalsByPair expected = predicted_intervals(outages_of(predicted, traffic));
    const IntervalsByPair observed = observed_outages(observation, traffic);
    for (std::uint32_t from = 0; from < nodes; ++from)
      for (std::uint32_t to = 0; to < nodes; ++to)
        if (from != to && is_probed(traffic, to, predicted))
          made.pairs.push_back({traffic, from, to, summary(expected, {from, to}, observation),
                                summary(observed, {from, to}, observation)});
  }
  const PredictedConnections connections(predicted);
  for (const ConnectionRecord& record : observation.connections)
    made.connections.push_back(connections.beside(record, observation.end));
  return made;
}

bool ComparedFigures::agrees() const {
  const auto is_inside = [&](auto member) {
    return observed.*member >= min.*member && observed.*member <= max.*member;
  };
  const auto is_close = [&](auto member) {
    return observed.*member >= min.*member - tolerance(min.*member) &&
           observed.*member <= max.*member + tolerance(max.*member);
  };
  return is_inside(&Figures::interrupted) && is_inside(&Figures::lasting) &&
         is_close(&Figures::longest) && is_close(&Figures::median);
}

std::vector<ComparedFigures> compare_figures(const std::vector<SwitchResult>& predicted,
                                             const Observation& observation) {
  std::vector<ComparedFigures> made;
  for (const Traffic traffic : observation.traffic) {
    ComparedFigures compared{
        .traffic = traffic,
        .observed = figures_of(observed_outages(observation, traffic), observation)};
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const Figures one =
          figures_of(predicted_intervals(outages_of(predicted[i], traffic)), observation);
      if (i == 0) compared.min = compared.max = one;
      widen(compared.min, compared.max, one);
    }
    made.push_back(compared);
  }
  return made;
}

std::vector<Outage> as_outages(const Observation& observation, Traffic traffic) {
  std::vector<Outage> outages;
  for (const auto& [pair, intervals] : observed_outages(observation, traffic))
    for (const Interval& one : intervals)
      outages.push_back({.from = pair.first,
                         .to = pair.second,
                         .begin = one.begin,
                         .end = one.end == kNever ? std::nullopt : std::optional(one.end)});
  return outages;
}

}  // namespace overlane::replay
