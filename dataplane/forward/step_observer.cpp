#include "dataplane/forward/step_observer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dataplane/forward/connection.h"
#include "dataplane/node/text/state_text.h"

namespace overlane::forward {
namespace {

struct IcmpName {
  Family family;
  int type;
  int code;
  std::string_view text;
};
constexpr std::array kIcmpNames = {
    IcmpName{Family::Ipv4, 3, 0, "network unreachable"},
    IcmpName{Family::Ipv4, 3, 1, "host unreachable"},
    IcmpName{Family::Ipv4, 3, 2, "protocol unreachable"},
    IcmpName{Family::Ipv4, 3, 3, "port unreachable"},
    IcmpName{Family::Ipv4, 3, 13, "administratively prohibited"},
    IcmpName{Family::Ipv4, 11, 0, "time exceeded"},
    IcmpName{Family::Ipv4, 11, 1, "reassembly time exceeded"},
    IcmpName{Family::Ipv6, 1, 0, "no route to destination"},
    IcmpName{Family::Ipv6, 1, 1, "administratively prohibited"},
    IcmpName{Family::Ipv6, 1, 3, "address unreachable"},
    IcmpName{Family::Ipv6, 1, 4, "port unreachable"},
    IcmpName{Family::Ipv6, 3, 0, "time exceeded"},
    IcmpName{Family::Ipv6, 3, 1, "reassembly time exceeded"},
    IcmpName{Family::Ipv6, 4, 0, "parameter problem"},
    IcmpName{Family::Ipv6, 4, 1, "unknown next header"},
};

/// The limit on the size of packets by a route. The route's own MTU replaces that of its device.
struct SizeLimit {
  std::uint32_t mtu = 0;  ///< MTU in bytes; 0 if the device does not exist.
  std::string of;         ///< Owner of the limit: "tunl0", "the route to 100.96.1.0/24".
  std::string entry;
};

SizeLimit size_limit(const node::NodeState& state, const node::RouteMatch& match) {
  if (match.route.mtu != 0) {
    return {match.route.mtu,
            fmt::format("the route to {} through {}", match.destination.to_string(),
                        match.route.device.view()),
            to_string(match.destination, match.route)};
  }
  const std::string name(match.route.device.view());
  if (match.pod != nullptr) return {match.pod->mtu, name, pod_line(state, *match.pod)};
  const node::Device* device = state.find_device(match.route.device);
  if (device == nullptr) return {};
  return {device->mtu, name, to_string(*device)};
}

/// Returns the line of the rp_filter that applies: the larger of the device's and `all`.
std::string rp_filter_entry(const node::NodeState& state, const node::Device* device) {
  const bool is_device = device != nullptr && device->rp_filter > state.sysctls.rp_filter_all;
  return is_device ? to_string(*device) : rp_filter_line(state.sysctls);
}

/// Returns why a packet is too large. If no entry of the state has the limit, it is a learned path
/// MTU.
std::string why_too_large(const Packet& packet, const SizeLimit& limit) {
  const IpFields& header = packet.outermost();
  const char* why =
      header.is_ipv4() ? "DF forbids to cut it" : "in IPv6 only its sender may cut it";
  if (limit.mtu == 0 || header.total_length <= limit.mtu) {
    return fmt::format("{} bytes are more than the learned MTU of the path to {}, and {}",
                       header.total_length, header.destination.to_string(), why);
  }
  return fmt::format("{} bytes do not fit the MTU {} of {}, and {}", header.total_length, limit.mtu,
                     limit.of, why);
}

/// Returns an address and port that a translation changes, such as "10.250.0.4 port 40000".
std::string end_of(IpAddress address, std::uint16_t port) {
  return fmt::format("{} port {}", address.to_string(), port);
}
std::string source_of(const Packet& packet) {
  return end_of(packet.outermost().source, packet.source_port);
}
std::string destination_of(const Packet& packet) {
  return end_of(packet.outermost().destination, packet.destination_port);
}

/// Returns the Service to which the connection was opened; null if there is none.
const node::Service* service_of(const node::NodeState& state, const node::Track& track) {
  const node::ConntrackTuple& original = track.original;
  return state.services == nullptr
             ? nullptr
             : state.services->find(
                   {original.destination, original.destination_port, original.protocol});
}

}  // namespace

std::string describe(const IcmpError& error) {
  const Family family = error.quoted_source.family();
  if (is_packet_too_big(error, family)) {
    return fmt::format("{}, MTU {}",
                       family == Family::Ipv4 ? "fragmentation needed" : "packet too big",
                       error.next_hop_mtu);
  }
  for (const IcmpName& name : kIcmpNames) {
    if (name.family == family && name.type == error.type && name.code == error.code) {
      return std::string(name.text);
    }
  }
  return fmt::format("ICMP type {} code {}", error.type, error.code);
}

std::string describe(const Packet& packet) {
  const IpFields& header = packet.outermost();
  std::string text =
      fmt::format("{} > {}", header.source.to_string(), header.destination.to_string());
  if (packet.is_encapsulated()) text += fmt::format(" {}", to_string(packet.encapsulation));
  text += fmt::format(" {} bytes ttl {}", header.total_length, header.ttl);
  if (header.dont_fragment) text += " DF";
  if (header.is_fragment()) text += fmt::format(" fragment at {}", header.fragment_offset);
  return text;
}

void StepObserver::add(std::string decision, std::string because, std::string state_entry) {
  steps_.push_back({state_.member().name, std::move(decision), std::move(because),
                    std::move(state_entry), std::nullopt});
}

void StepObserver::admitted(const Packet& packet, const node::RouteMatch& reverse) {
  add("check source",
      fmt::format("{} is the address of the pod that sends", packet.inner.source.to_string()),
      to_string(reverse.destination, reverse.route));
}

void StepObserver::routed(const Packet& packet, const node::RouteMatch& match) {
  add("route",
      fmt::format("{} is in {}", packet.outermost().destination.to_string(),
                  match.destination.to_string()),
      to_string(match.destination, match.route));
}

void StepObserver::fragmented(const Packet& packet, std::uint32_t mtu,
                              const node::RouteMatch& match, const node::Device*) {
  const SizeLimit limit = size_limit(state_, match);
  add("fragment",
      fmt::format("{} bytes do not fit MTU {} and may be cut", packet.outermost().total_length,
                  mtu),
      limit.mtu == mtu ? limit.entry : "");
}

void StepObserver::refragmented(const Packet& packet, std::size_t fragments) {
  add("fragment",
      fmt::format("{} goes on in the {} fragments that it came in", describe(packet), fragments));
}

/// Adds the step of how a VXLAN or WireGuard device found the far end.
void StepObserver::resolved(const Packet& packet, const Wrapping& wrapping) {
  const auto& [route, device, mtu, peer] = wrapping;
  if (peer == nullptr || device.remote || route.tunnel_destination) return;
  if (device.kind == node::DeviceKind::Wireguard) {
    return add("peer",
               fmt::format("{} is among the allowed IPs of {}",
                           packet.inner.destination.to_string(), peer->name),
               wireguard_line(device, *peer).value_or(""));
  }
  const auto entry = neighbour_entry(device, *peer);
  if (!entry) return;
  const std::string next_hop = route.via.value_or(packet.inner.destination).to_string();
  const std::string mac = peer->in(device.underlay)->vtep_mac.to_string();
  add("neighbour", fmt::format("the next hop {} is {} on {}", next_hop, mac, device.name.view()),
      entry->neighbour);
  add("neighbour", fmt::format("{} is behind node {}", mac, packet.outer.destination.to_string()),
      entry->forwarding);
}

std::optional<Drop> StepObserver::encapsulated(const Packet& packet, const Wrapping& wrapping) {
  const node::Device& device = wrapping.device;
  resolved(packet, wrapping);
  const bool is_sealed = packet.encapsulation == Encapsulation::Wireguard;
  add("encapsulate",
      fmt::format(
          "{} {}wraps it: {}", device.name.view(),
          is_sealed ? fmt::format("encrypts it with {} bytes of padding and ", packet.padding) : "",
          describe(packet)),
      to_string(device));
  return std::nullopt;
}

void StepObserver::decapsulated(const Packet& packet, const node::Device& device,
                                const node::TunnelGuard* guard) {
  if (guard != nullptr) {
    add("filter", fmt::format("{} may send tunnel packets here", packet.outer.source.to_string()),
        guard_lines(*guard).front());
  }
  add("decapsulate",
      fmt::format("{} takes {} from {}", device.name.view(), to_string(packet.encapsulation),
                  packet.outer.source.to_string()),
      to_string(device));
}

void StepObserver::held(const Packet& packet, const node::ReassemblyKey&) {
  add("hold", fmt::format("other fragments of {} are missing", describe(packet)));
}

void StepObserver::reassembled(Packet& packet, const node::ReassemblyKey&) {
  add("reassemble", fmt::format("all fragments are here: {}", describe(packet)));
}

void StepObserver::held_back(IpAddress destination) {
  add("hold back", fmt::format("no ICMP error to {}: too many of late", destination.to_string()));
}

void StepObserver::answered(const Packet& error, const Packet&) {
  add("answer",
      fmt::format("ICMP {} to {}", describe(*error.icmp), error.inner.destination.to_string()));
}

void StepObserver::emitted(Egress egress, const Packet& packet, IpAddress next_hop) {
  const IpAddress destination = packet.outermost().destination;
  switch (egress) {
    case Egress::Pod: {
      const node::LocalPod* pod = state_.find_pod(destination);
      return add("deliver", fmt::format("{} is a pod of this node", destination.to_string()),
                 pod == nullptr ? "" : pod_line(state_, *pod));
    }
    case Egress::Host: {
      const auto owner = std::ranges::find_if(
          state_.devices, [=](const node::Device& device) { return device.has(destination); });
      return add("deliver", fmt::format("{} is an address of this node", destination.to_string()),
                 owner == state_.devices.end() ? "" : to_string(*owner));
    }
    case Egress::Uplink: {
      const node::Device* uplink = state_.uplink();
      return add("send",
                 fmt::format("{} leaves towards {}", describe(packet), next_hop.to_string()),
                 uplink == nullptr ? "" : to_string(*uplink));
    }
  }
}

void StepObserver::dropped(Drop reason, const Packet& packet, const DropCause& cause) {
  std::string because = fmt::format("{} ({})", facts(reason).meaning, describe(packet));
  std::string entry;
  if (cause.match != nullptr) {
    entry = to_string(cause.match->destination, cause.match->route);
  } else if (cause.device != nullptr) {
    entry = to_string(*cause.device);
  } else if (cause.guard != nullptr) {
    entry = guard_lines(*cause.guard).back();
  } else if (cause.service != nullptr) {
    entry = service_line(*state_.services, *cause.service);
  }
  if (reason == Drop::MtuExceeded && cause.match != nullptr) {
    const SizeLimit limit = size_limit(state_, *cause.match);
    because = why_too_large(packet, limit);
    entry = packet.outermost().total_length > limit.mtu ? limit.entry : "";
  } else if (reason == Drop::RpFilter) {
    entry = rp_filter_entry(state_, cause.device);
  } else if (reason == Drop::NotLocal) {
    entry = forwarding_line(state_.sysctls, packet.outermost().family());
  }
  add("drop", fmt::format("{}: {}", to_string(reason), because), std::move(entry));
  steps_.back().drop = reason;
}

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
