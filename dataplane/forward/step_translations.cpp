#include <fmt/format.h>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/step_observer.h"

namespace overlane::forward {
namespace {

/// "10.250.0.4 port 40000", of what a translation changes.
std::string end_of(IpAddress address, std::uint16_t port) {
  return fmt::format("{} port {}", address.to_string(), port);
}
std::string source_of(const Packet& packet) {
  return end_of(packet.outermost().source, packet.source_port);
}
std::string destination_of(const Packet& packet) {
  return end_of(packet.outermost().destination, packet.destination_port);
}

/// The Service that the connection was opened to; null when it was to none.
const node::Service* service_of(const node::NodeState& state, const node::Track& track) {
  const node::ConntrackTuple& original = track.original;
  return state.services == nullptr
             ? nullptr
             : state.services->find(
                   {original.destination, original.destination_port, original.protocol});
}

}  // namespace

void StepObserver::translated(const Packet& before, const Packet& after,
                              const Translation& translation) {
  const auto& [track, side, rule] = translation;
  const bool is_original = track.direction == node::Direction::Original;
  const bool is_to_service = is_original == (side == Side::Destination);
  if (const auto* service = is_to_service ? service_of(state_, track) : nullptr) {
    return add("translate",
               is_original ? fmt::format("{} sends what is for the Service {} to its endpoint {}",
                                         to_string(state_.services->proxy()),
                                         destination_of(before), destination_of(after))
                           : fmt::format("it comes through a Service: {} becomes {} again",
                                         source_of(before), source_of(after)),
               service_line(*state_.services, *service));
  }
  if (side == Side::Destination) {
    return add("translate", fmt::format("it answers a masqueraded connection: {} becomes {} again",
                                        destination_of(before), destination_of(after)));
  }
  const bool is_marked = rule && rule->by == node::MasqueradeRule::By::Mark;
  add("translate",
      fmt::format("its connection is masqueraded{}: {} becomes {}",
                  is_marked ? " by kube-proxy's mark" : "", source_of(before), source_of(after)),
      rule ? masquerade_line(*state_.filter, *rule) : "");
}

}  // namespace overlane::forward
