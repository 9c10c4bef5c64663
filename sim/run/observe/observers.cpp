#include "sim/run/observe/observers.h"

#include <limits>

#include "sim/run/path/stations.h"

namespace overlane::run {

Observers::Observers(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options, const core::Scheduler& scheduler,
                     const Accounts& accounts, const FlowTable& flows, PacketPath& path,
                     Border& border)
    : flows_(flows), path_(path) {
  if (options.series) series_.emplace(network, traffic, *options.series, path, accounts);
  if (!options.changes.empty() || options.actors) {
    interruptions_.emplace(flows, scheduler, border);
    path.packets().show_losses_to(&*interruptions_);
  }
  if (options.trace == nullptr) return;
  packet_tracer_.emplace(*options.trace, scheduler, flows, path);
  path.packets().show_to(&*packet_tracer_);
}

void Observers::before(const core::Event& event) {
  if (packet_tracer_) packet_tracer_->before(event);
  if (series_) node_ = node_of(event);
}

Picos Observers::next() const {
  return series_ ? series_->next() : Picos{std::numeric_limits<std::int64_t>::max()};
}

void Observers::count_at(Picos now) {
  if (now == next()) series_->close(now);
}

void Observers::close(Picos end) {
  if (series_) series_->close(end);
  settle();
}

std::optional<model::Series> Observers::series() const {
  if (!series_) return std::nullopt;
  return series_->series();
}

void Observers::add(const Observers& other) {
  if (interruptions_) interruptions_->add(*other.interruptions_);
}

std::optional<model::Interruptions> Observers::interruptions(std::size_t group, Picos end) const {
  if (!interruptions_ || !interruptions_->has_seen_change()) return std::nullopt;
  return interruptions_->of_group(group, end);
}

std::uint32_t Observers::node_of(const core::Event& scheduled) const {
  const StationEvent event = StationEvent::of(scheduled);
  return visit_station(event.kind, [&](auto station) -> std::uint32_t {
    switch (station.kNode) {
      case EventNode::None:
        return 0;
      case EventNode::Subject:
        return event.subject;
      case EventNode::OfPacket:
        return path_.packets()[station.first(path_, event)].node;
      case EventNode::OfSocket:
        return flows_.end(event.subject).node;
    }
    return 0;
  });
}

}  // namespace overlane::run
