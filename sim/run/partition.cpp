#include "sim/run/partition.h"

#include <algorithm>

#include "sim/run/path/stations.h"

namespace overlane::run {

using model::Ending;

Partition::Partition(const CommonParts& common, SocketTable sockets, std::uint16_t number)
    : options_(common.options),
      accounts_(common.traffic.size(), options_.warm_up),
      border_(common.partition_of, number, common.partitions),
      path_(common.network, common.traffic, options_, common.states, border_,
            common.flows.flows.size() * 2, scheduler_, accounts_),
      flows_(common.flows, std::move(sockets), options_.datagrams_end, scheduler_, accounts_, path_,
             border_),
      batches_(accounts_, common.traffic.size(), options_.duration),
      observers_(common.network, common.traffic, options_, scheduler_, accounts_, common.flows,
                 path_, border_) {
  flows_.start();
  if (options_.fast)
    skipper_.emplace(common.network, common.traffic, options_, flows_, path_, accounts_);
  look_at_ = next_look();
}

bool Partition::run_until(Picos end) {
  while (stop_ < options_.duration) {
    const Picos next = next_stop();
    if (next > end) break;
    if (!reaches(next)) return false;
    stop_ = next;
    count_at(next);
  }
  return reaches(end);
}

void Partition::run_window(std::uint64_t window, Picos end) {
  border_.begin(window);
  run_until(end);
  find_next_time();
}

void Partition::find_next_time() {
  next_time_ = std::min(scheduler_.next_time(), border_.earliest());
}

void Partition::take_mail(const std::vector<std::unique_ptr<Partition>>& all,
                          std::uint64_t window) {
  for (const auto& from : all) {
    if (from.get() == this) continue;
    const Mail& mail = from->border_.sent_to(border_.own(), window);
    path_.take(mail, from->border_.own());
    observers_.take(mail);
  }
  observers_.settle();
}

/// Next time at which counters are recorded.
Picos Partition::next_stop() const {
  const Picos next = std::min({options_.duration, batches_.next(), observers_.next()});
  return stop_ < options_.warm_up ? std::min(next, options_.warm_up) : next;
}

void Partition::count_at(Picos now) {
  if (now == options_.warm_up) begin_measuring();
  if (now == batches_.next()) batches_.close();
  observers_.count_at(now);
}

void Partition::begin_measuring() {
  path_.ports().admit_all(options_.warm_up - Picos{1});
  accounts_.begin_measuring();
  path_.begin_measuring(options_.warm_up);
}

/// Inlined: it is the body of the event loop.
[[gnu::always_inline]] inline void Partition::handle(const core::Event& scheduled) {
  const StationEvent event = StationEvent::of(scheduled);
  visit_station(event.kind, [&](auto station) { station.run(path_, flows_, event); });
}

/// Runs all events before `stop`, except those that need not happen. Returns false if the run ended
/// early.
bool Partition::reaches(Picos stop) {
  if (!skipper_) return reaches_by_events(stop);
  for (;;) {
    const Picos next = skipper_->advance(stop, observers_.miss_nothing());
    if (!reaches_by_events(next)) return false;
    if (next == stop) return true;
  }
}

bool Partition::reaches_by_events(Picos stop) {
  if (observers_.any()) return reaches_by_events<true, true>(stop);
  return path_.is_large() ? reaches_by_events<false, true>(stop)
                          : reaches_by_events<false, false>(stop);
}

template <bool is_observed, bool fetches_ahead>
bool Partition::reaches_by_events(Picos stop) {
  core::Event event;
  while (scheduler_.next(stop, event)) {
    if (scheduler_.events() > look_at_) {
      if (ends_early()) return false;
      look_at_ = next_look();
    }
    if constexpr (fetches_ahead) fetch_ahead_.look();
    if constexpr (is_observed) observers_.before(event);
    handle(event);
    follow_packets<is_observed>();
    if constexpr (is_observed) observers_.after(scheduler_.now());
  }
  return true;
}

/// Hands arrived packets to their sockets, and reports to senders what has left their hosts.
template <bool is_observed>
void Partition::follow_packets() {
  Packets& packets = path_.packets();
  for (;;) {
    if (packets.has_arrivals()) {
      const PacketId arrival = packets.take_arrival();
      if constexpr (is_observed) observers_.arrives(arrival);
      flows_.arrive(arrival);
    } else if (packets.has_departures()) {
      const Packets::Departure departure = packets.take_departure();
      flows_.left_host(departure.sender, departure.bytes);
    } else {
      return;
    }
  }
}

std::int64_t Partition::next_look() const {
  return std::min(scheduler_.events() + kLookEvery, options_.max_events);
}

/// Updates the progress. Returns true if the run must end before the current event.
bool Partition::ends_early() {
  if (options_.watch != nullptr) {
    options_.watch->show(scheduler_.now(), accounts_.packets_sent());
    if (options_.watch->asks_to_stop()) ending_ = Ending::Interrupted;
  }
  if (scheduler_.events() > options_.max_events) ending_ = Ending::EventLimit;
  return ending_ != Ending::Complete;
}

void Partition::begin_change(Picos now, std::uint64_t window) {
  border_.begin(window);
  scheduler_.move_to(now);
  observers_.before({now, StationEvent{EventKind::Change}.packed()});
  observers_.see_change();
}

void Partition::stop(const node::WorldChange& changed, AffectedEndpoints& affected) {
  path_.on_change(changed);
  flows_.restarts().stop(changed, affected);
}

void Partition::end_change(const AffectedEndpoints& affected, std::uint64_t window) {
  border_.begin(window);
  observers_.see_affected(affected);
  follow_packets<true>();
  observers_.after(scheduler_.now());
}

void Partition::close(Picos end) {
  observers_.close(end);
  path_.ports().admit_all(end - Picos{1});
}

}  // namespace overlane::run
