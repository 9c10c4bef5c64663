#include "dataplane/forward/step_observer.h"

#include <array>

#include <fmt/format.h>

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

std::string icmp_name(const IcmpError& error) {
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

std::string entry_of(const node::RouteMatch* match, const node::Device* device) {
  if (match != nullptr && device != nullptr) {
    return fmt::format("{}; {}", to_string(match->destination, match->route), to_string(*device));
  }
  if (match != nullptr) return to_string(match->destination, match->route);
  return device != nullptr ? to_string(*device) : "";
}

}  // namespace

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
  steps_.push_back(
      {state_.member().name, std::move(decision), std::move(because), std::move(state_entry)});
}

void StepObserver::routed(const Packet& packet, const node::RouteMatch& match) {
  add("route",
      fmt::format("{} is in {}", packet.outermost().destination.to_string(),
                  match.destination.to_string()),
      to_string(match.destination, match.route));
}

void StepObserver::fragmented(const Packet& packet, std::uint32_t mtu,
                              const node::RouteMatch& match, const node::Device* device) {
  add("fragment",
      fmt::format("{} bytes do not fit MTU {} and may be cut", packet.outermost().total_length,
                  mtu),
      entry_of(&match, device));
}

void StepObserver::taken_apart(const Packet& packet, std::size_t pieces) {
  add("fragment",
      fmt::format("{} goes on in the {} pieces that it came in", describe(packet), pieces));
}

std::optional<Drop> StepObserver::encapsulated(const Packet& packet, const node::Route&,
                                               const node::Device& device) {
  add("encapsulate", fmt::format("{} wraps it: {}", device.name.view(), describe(packet)),
      to_string(device));
  return std::nullopt;
}

void StepObserver::decapsulated(const Packet& packet, const node::Device& device) {
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

void StepObserver::translated(const Packet& before, const Packet& after) {
  add("translate", fmt::format("its connection is masqueraded: {} ports {} {}, as {} ports {} {}",
                               describe(before), before.source_port, before.destination_port,
                               describe(after), after.source_port, after.destination_port));
}

void StepObserver::held_back(IpAddress destination) {
  add("hold back", fmt::format("no ICMP error to {}: too many of late", destination.to_string()));
}

void StepObserver::answered(const Packet& error, const Packet&) {
  add("answer",
      fmt::format("ICMP {} to {}", icmp_name(*error.icmp), error.inner.destination.to_string()));
}

void StepObserver::emitted(Egress egress, const Packet& packet, IpAddress next_hop) {
  const std::string destination = packet.outermost().destination.to_string();
  switch (egress) {
    case Egress::Pod:
      return add("deliver", fmt::format("{} is a pod of this node", destination));
    case Egress::Host:
      return add("deliver", fmt::format("{} is an address of this node", destination));
    case Egress::Uplink: {
      const node::Device* uplink = state_.uplink();
      return add("send",
                 fmt::format("{} leaves towards {}", describe(packet), next_hop.to_string()),
                 uplink == nullptr ? "" : to_string(*uplink));
    }
  }
}

void StepObserver::dropped(Drop reason, const Packet& packet, const node::RouteMatch* match,
                           const node::Device* device) {
  add("drop",
      fmt::format("{}: {} ({})", to_string(reason), facts(reason).meaning, describe(packet)),
      entry_of(match, device));
}

}  // namespace overlane::forward
