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

/// The Service that one side of a packet, or of what an ICMP error quotes, is; or null.
const node::Service* service_at(const node::NodeState& state, const Packet& packet, Side side) {
  if (state.services == nullptr) return nullptr;
  const bool to = side == Side::Destination;
  node::ServicePort front{to ? packet.inner.destination : packet.inner.source,
                          to ? packet.destination_port : packet.source_port, packet.inner.protocol};
  if (packet.icmp) {
    const IcmpError& error = *packet.icmp;
    front = {to ? error.quoted_source : error.quoted_destination,
             to ? error.quoted_source_port : error.quoted_destination_port, error.quoted_protocol};
  }
  return state.services->find(front);
}

}  // namespace

void StepObserver::translated(const Packet& before, const Packet& after) {
  const IpFields& was = before.outermost();
  const bool is_source_kept =
      was.source == after.outermost().source && before.source_port == after.source_port;
  const Side side = is_source_kept ? Side::Destination : Side::Source;
  if (const auto* service = service_at(state_, is_source_kept ? before : after, side)) {
    return add("translate",
               is_source_kept
                   ? fmt::format("{} sends what is for the Service {} to its endpoint {}",
                                 to_string(state_.services->proxy()), destination_of(before),
                                 destination_of(after))
                   : fmt::format("it comes through a Service: {} becomes {} again",
                                 source_of(before), source_of(after)),
               service_line(*state_.services, *service));
  }
  if (is_source_kept) {
    return add("translate", fmt::format("it answers a masqueraded connection: {} becomes {} again",
                                        destination_of(before), destination_of(after)));
  }
  const node::Device* device = state_.find_device(leaving_);
  node::Leaving leaving{.source = was.source,
                        .destination = was.destination,
                        .protocol = was.protocol,
                        .device = leaving_,
                        .device_address = {},
                        .source_is_local = node::is_local(state_, was.source)};
  if (device != nullptr) leaving.device_address = device->address(was.family());
  const std::string line = masquerade_line(*state_.filter, leaving);
  add("translate",
      fmt::format("its connection is masqueraded{}: {} becomes {}",
                  line.empty() ? " by kube-proxy's mark" : "", source_of(before), source_of(after)),
      line);
}

}  // namespace overlane::forward
