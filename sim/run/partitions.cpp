#include "sim/run/partitions.h"

#include <algorithm>
#include <thread>

#include "sim/core/barrier.h"
#include "sim/run/path/border.h"

namespace overlane::run {
namespace {

using model::Ending;

/// After so many windows the progress is shown, and limits and stop requests are checked.
constexpr std::uint64_t kWindowsPerLook = 16;

/// Without what the run as a whole looks after.
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

/// Finds out where everything stops next, and lets the partitions know.
void Partitions::expect_change() {
  const std::optional<Picos> next = actors_.next();
  for (const auto& partition : all_) {
    partition->expect_change(next);
    partition->find_next_time();
  }
  stop_ = std::min(next.value_or(options_.duration), options_.duration);
}

/// Nothing is left to happen before, but something may be left to count.
void Partitions::come_to_stop() {
  for (const auto& partition : all_)
    partition->run_until(stop_);
}

/// Lets the actors act whose time has come.
void Partitions::change() {
  come_to_stop();
  ++changes_;
  ++window_;
  for (const auto& partition : all_)
    partition->begin_change(stop_, window_);
  const node::WorldChange changed =
      states_.apply([this](node::WorldEditor& world) { actors_.act(world, stop_); });
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

/// All have gone through a window: opens the next, unless something else comes before.
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

/// Shows how far the run is, and whether it is to go on.
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
