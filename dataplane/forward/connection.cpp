#include "dataplane/forward/connection.h"

#include <algorithm>

namespace overlane::forward {
namespace {

/// Returns the bytes of the protocol's shortest transport header (RFC 9293, RFC 768, RFC 792).
std::uint32_t transport_bytes(const IpFields& header) {
  if (header.protocol == kTcp) return 20;
  return header.protocol == kUdp || header.is_icmp() ? 8 : 0;
}

bool holds(const std::vector<IpPrefix>& networks, IpAddress address) {
  return std::ranges::any_of(networks,
                             [=](const IpPrefix& network) { return network.contains(address); });
}

}  // namespace

std::optional<node::ConntrackTuple> tuple_of(const Packet& packet) {
  const IpFields& header = packet.outermost();
  if (header.payload_bytes() < transport_bytes(header)) return std::nullopt;
  const bool outer = packet.is_encapsulated();
  if (!outer && packet.transport_fault) return std::nullopt;
  const bool cut_off =
      outer && header.protocol == kUdp && packet.wrapped_bytes() > header.total_length;
  if (cut_off || (outer && packet.udp_fault)) return std::nullopt;
  return node::ConntrackTuple{
      .source = header.source,
      .destination = header.destination,
      .source_port = outer ? packet.outer_source_port : packet.source_port,
      .destination_port = outer ? packet.outer_destination_port : packet.destination_port,
      .protocol = header.protocol};
}

node::ConntrackTuple quoted_tuple(const IcmpError& error) {
  return {.source = error.quoted_source,
          .destination = error.quoted_destination,
          .source_port = error.quoted_source_port,
          .destination_port = error.quoted_destination_port,
          .protocol = error.quoted_protocol};
}

bool takes_answers(const node::PacketFilter& filter, const Packet& packet, bool is_for_node) {
  const IpFields& header = packet.outermost();
  if (is_for_node && !filter.tunnel_devices.empty()) return true;
  if (holds(filter.masqueraded_destinations, header.source)) return true;
  return holds(filter.masqueraded_sources, header.destination) &&
         !holds(filter.unmasqueraded_destinations, header.source);
}

bool translate(Packet& packet, const node::Track& track, Side side) {
  const bool to = side == Side::Destination;
  if (!(to ? track.changes_destination() : track.changes_source())) return false;
  const node::ConntrackTuple seen = track.translated();
  IpFields& header = packet.outermost();
  (to ? header.destination : header.source) = to ? seen.destination : seen.source;
  // An ICMP identifier is in the source port, whichever side changes.
  const bool is_echo = seen.protocol == kIcmp || seen.protocol == kIcmpv6;
  const std::uint16_t port = to && !is_echo ? seen.destination_port : seen.source_port;
  if (track.state == node::TrackState::Related) {
    IcmpError& error = *packet.icmp;
    const node::ConntrackTuple quoted = *node::inverse(seen);
    (to ? error.quoted_source : error.quoted_destination) = to ? quoted.source : quoted.destination;
    (to || is_echo ? error.quoted_source_port : error.quoted_destination_port) = port;
    return true;
  }
  const bool outer = packet.is_encapsulated();
  if (to && !is_echo) {
    (outer ? packet.outer_destination_port : packet.destination_port) = port;
  } else {
    (outer ? packet.outer_source_port : packet.source_port) = port;
  }
  return true;
}

}  // namespace overlane::forward
