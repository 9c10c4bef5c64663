#include "sim/run/partitions.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "sim/core/barrier.h"
#include "sim/run/estimate/estimates.h"
#include "sim/run/path/border.h"

namespace overlane::run {
namespace {

/// Carries out changes whose times are known before the run.
class Script : public Actor {
 public:
  explicit Script(std::vector<TimedChange> changes) : changes_(std::move(changes)) {
    std::ranges::stable_sort(changes_, {}, &TimedChange::at);
  }

  std::optional<Picos> next() const override {
    if (done_ == changes_.size()) return std::nullopt;
    return changes_[done_].at;
  }
  void act(node::WorldEditor& world, Picos now) override {
    for (; done_ < changes_.size() && changes_[done_].at <= now; ++done_)
      changes_[done_].apply(world);
  }

 private:
  std::vector<TimedChange> changes_;
  std::size_t done_ = 0;
};

}  // namespace

Actors::Actors(const RunOptions& options) {
  if (!options.changes.empty()) actors_.push_back(std::make_unique<Script>(options.changes));
  if (!options.actors) return;
  for (std::unique_ptr<Actor>& actor : options.actors(options.seed))
    actors_.push_back(std::move(actor));
}

std::optional<Picos> Actors::next() const {
  std::optional<Picos> first;
  for (const std::unique_ptr<Actor>& actor : actors_)
    if (const auto at = actor->next(); at && (!first || *at < *first)) first = at;
  return first;
}

void Actors::act(node::WorldEditor& world, Picos now) {
  const auto is_due = [=](const std::unique_ptr<Actor>& actor) {
    const auto at = actor->next();
    return at && *at <= now;
  };
  for (auto due = std::ranges::find_if(actors_, is_due); due != actors_.end();
       due = std::ranges::find_if(actors_, is_due)) {
    (*due)->act(world, now);
    assert(!is_due(*due));
  }
}

namespace {

/// Threads wait for each other after each window. With 10 packets in each partition and window, two
/// threads of a quiet machine took 0.78 of the time of one (`overlane-bench-engine routed-100`);
/// with one packet, 1.45.
constexpr double kMinPackets = 20;

/// Whether connections begin during the run, or one endpoint's application waits for the other's.
bool opens_connections(const TrafficGroup& group) {
  return group.connections == Connections::PerRequest || group.transfer.has_value();
}

/// The reason why the run needs one partition; empty if there is none.
std::string tie(const Network& network, const std::vector<TrafficGroup>& traffic,
                const RunOptions& options) {
  if (network.nodes.size() < 2) return "there is one node";
  if (network.wire == cost::Wire::Veth) return "the nodes share one machine";
  if (network.paths.racks) return "links between racks have no latency of their own";
  if (std::ranges::any_of(traffic, opens_connections))
    return "connections begin and end while it lasts";
  if (options.trace != nullptr) return "packets are traced";
  if (options.series) return "a time series is recorded";
  if (options.fast) return "events are left out";
  return {};
}

/// Number of flows from or to each node.
std::vector<std::size_t> flows_of(const Network& network,
                                  const std::vector<TrafficGroup>& traffic) {
  std::vector<std::size_t> flows(network.nodes.size());
  for (const TrafficGroup& group : traffic)
    for (const PodPair& pair : group.pairs) {
      ++flows[pair.source.node];
      ++flows[pair.destination.node];
    }
  return flows;
}

/// Cuts the sequence of nodes so that each partition has about its share of the flows.
PartitionOfNode cut(const std::vector<std::size_t>& flows, std::uint32_t partitions) {
  std::size_t all = 0;
  for (const std::size_t of_node : flows)
    all += of_node;
  PartitionOfNode partition_of;
  std::size_t before = 0;
  for (const std::size_t of_node : flows) {
    const std::size_t middle = 2 * before + of_node;
    const std::size_t partition = all == 0 ? 0 : middle * partitions / (2 * all);
    partition_of.push_back(
        static_cast<std::uint16_t>(std::min<std::size_t>(partition, partitions - 1)));
    before += of_node;
  }
  return partition_of;
}

/// Shortest latency between nodes of two partitions.
Picos look_ahead(const Network& network, const RunOptions& options,
                 const PartitionOfNode& partition_of) {
  const Picos least = std::min(network.paths.within_zone, network.paths.across_zones);
  const bool may_change_zone = !options.changes.empty() || options.actors;
  if (may_change_zone) return least;
  std::map<std::string_view, std::uint16_t> partition_of_zone;
  for (std::size_t node = 0; node < partition_of.size(); ++node) {
    const std::string_view zone = node::zone_of(network.fabric, network.fabric.instances[node]);
    const auto [at, is_new] = partition_of_zone.try_emplace(zone, partition_of[node]);
    if (at->second != partition_of[node]) return least;
  }
  return network.paths.across_zones;
}

}  // namespace

Partitioning partition_nodes(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options) {
  Partitioning one{.of_node = PartitionOfNode(network.nodes.size())};
  const std::uint32_t wanted = options.partitions != 0 ? options.partitions : options.threads;
  if (wanted < 2) return one;
  one.reason = tie(network, traffic, options);
  if (!one.reason.empty()) return one;
  const std::vector<std::size_t> flows = flows_of(network, traffic);
  const double packets = estimate_work(network, traffic, options.duration).packets;
  for (auto count = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, flows.size()));
       count > 1; --count) {
    Partitioning several{.of_node = cut(flows, count), .count = static_cast<std::uint16_t>(count)};
    several.look_ahead = look_ahead(network, options, several.of_node);
    if (several.look_ahead.count == 0) {
      one.reason = "there is no latency between nodes";
      continue;
    }
    const double in_window = packets * static_cast<double>(several.look_ahead.count) /
                             static_cast<double>(options.duration.count);
    if (options.partitions != 0 || in_window >= kMinPackets * count) return several;
    one.reason =
        fmt::format("there are only about {:.2g} packets in {} µs, the latency between nodes",
                    in_window, several.look_ahead.count / 1'000'000);
  }
  return one;
}

namespace {

using model::Ending;

/// Number of windows after which progress, limits and stop requests are handled.
constexpr std::uint64_t kWindowsPerLook = 16;

/// The options without those that Partitions itself handles.
RunOptions of_part(RunOptions options) {
  options.watch = nullptr;
  options.max_events = INT64_MAX;
  return options;
}

}  // namespace

Partitions::Partitions(const Network& network, const std::vector<TrafficGroup>& traffic,
                       const RunOptions& options, const Partitioning& how, States& states,
                       FlowTable& flows)
    : options_(options),
      of_part_(how.count > 1 ? of_part(options) : options),
      how_(how),
      states_(states),
      actors_(options),
      threads_(std::clamp<std::uint32_t>(options.threads, 1, how.count)) {
  const CommonParts common{network, traffic, of_part_, states, flows, how.of_node, how.count};
  for (std::uint16_t number = 0; number < how.count; ++number) {
    const bool is_last = number + 1 == how.count;
    all_.push_back(std::make_unique<Partition>(
        common, is_last ? std::move(flows.sockets) : flows.sockets, number));
  }
}

bool Partitions::run() {
  expect_change();
  if (how_.count == 1) return run_one();
  open_window();
  core::Barrier barrier(threads_);
  const auto work = [&](std::uint32_t thread) {
    while (!is_over_) {
      if (is_change_due_) {
        barrier.wait([this] {
          change();
          open_window();
        });
        continue;
      }
      const std::uint64_t window = window_;
      for (std::size_t i = thread; i < all_.size(); i += threads_)
        run_window(*all_[i]);
      barrier.wait([this] { open_window(); });
      for (std::size_t i = thread; i < all_.size(); i += threads_)
        all_[i]->take_mail(all_, window);
    }
  };
  std::vector<std::jthread> others;
  for (std::uint32_t thread = 1; thread < threads_; ++thread)
    others.emplace_back(work, thread);
  work(0);
  others.clear();
  if (ending_ != Ending::Complete || needs_one_ != nullptr) return false;
  come_to_stop();
  return true;
}

bool Partitions::run_one() {
  while (first().run_until(stop_)) {
    if (stop_ == options_.duration) return true;
    change();
  }
  ending_ = first().ending();
  ended_at_ = first().ended_at();
  return false;
}

/// Sets the time of the next change or of the end, and announces it to the partitions.
void Partitions::expect_change() {
  const std::optional<Picos> next = actors_.next();
  for (const auto& partition : all_) {
    partition->expect_change(next);
    partition->find_next_time();
  }
  stop_ = std::min(next.value_or(options_.duration), options_.duration);
}

/// Lets all partitions count up to the stop. No event is left before it.
void Partitions::come_to_stop() {
  for (const auto& partition : all_)
    partition->run_until(stop_);
}

/// Runs the actors that are due.
void Partitions::change() {
  come_to_stop();
  ++changes_;
  ++window_;
  for (const auto& partition : all_)
    partition->begin_change(stop_, window_);
  const node::WorldChange changed =
      states_.edit([this](node::WorldEditor& world) { actors_.act(world, stop_); });
  try {
    AffectedEndpoints affected;
    for (const auto& partition : all_)
      partition->stop(changed, affected);
    for (const auto& partition : all_)
      partition->start(affected);
    exchange_mail();
    ++window_;
    for (const auto& partition : all_)
      partition->end_change(affected, window_);
    exchange_mail();
  } catch (const NeedsOnePartition& needs) {
    needs_one_ = needs.reason;
  }
  expect_change();
}

void Partitions::exchange_mail() {
  for (const auto& partition : all_)
    partition->take_mail(all_, window_);
}

void Partitions::run_window(Partition& partition) {
  try {
    partition.run_window(window_, window_end_);
  } catch (const NeedsOnePartition& needs) {
    needs_one_ = needs.reason;
  }
}

/// All partitions have finished a window. Opens the next one, unless a change or the end comes
/// first.
void Partitions::open_window() {
  if (windows_to_look_-- == 0) {
    look();
    windows_to_look_ = kWindowsPerLook;
  }
  Picos first = stop_;
  for (const auto& partition : all_)
    first = std::min(first, partition->next_time());
  is_change_due_ = first == stop_ && stop_ < options_.duration;
  is_over_ = first == options_.duration || ending_ != Ending::Complete || needs_one_ != nullptr;
  if (is_change_due_ || is_over_) return;
  ++window_;
  window_end_ = std::min(first + how_.look_ahead, stop_);
}

std::int64_t Partitions::packets_sent() const {
  std::int64_t packets = 0;
  for (const auto& partition : all_)
    packets += partition->accounts().packets_sent();
  return packets;
}

/// Updates the progress, and checks whether the run must stop.
void Partitions::look() {
  std::int64_t events = 0;
  for (const auto& partition : all_)
    events += partition->events();
  if (events > options_.max_events) needs_one_ = "the number of events is limited";
  if (options_.watch == nullptr) return;
  options_.watch->show(window_end_, packets_sent());
  if (!options_.watch->asks_to_stop()) return;
  ending_ = Ending::Interrupted;
  ended_at_ = window_end_;
}

}  // namespace overlane::run
