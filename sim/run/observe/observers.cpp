#include "sim/run/observe/observers.h"

#include <limits>

namespace overlane::run {

Observers::Observers(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options, const core::Scheduler& scheduler,
                     const Accounts& accounts, const Flows& flows, PacketPath& path, Border& border)
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
  if (series_) place_ = place_of(event);
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

std::uint32_t Observers::place_of(const core::Event& event) const {
  const What what = What::of(event);
  switch (what.kind) {
    case EventKind::PortArrive:
    case EventKind::LeafDone:
    case EventKind::SpineDone:
      return path_.packets()[path_.subject_of(what)].node;
    case EventKind::EndExpiry:
    case EventKind::Timer:
      return flows_.end(what.subject).node;
    case EventKind::Change:
      return 0;
    case EventKind::Poll:
    case EventKind::CoreDone:
    case EventKind::Crypted:
    case EventKind::Backlog:
    case EventKind::VhostSent:
    case EventKind::VhostReceived:
    case EventKind::LocalDone:
    case EventKind::NicDone:
    case EventKind::FlowCap:
    case EventKind::Allowance:
    case EventKind::PortDone:
    case EventKind::NodeExpiry:
      return what.subject;
  }
  return 0;
}

}  // namespace overlane::run
