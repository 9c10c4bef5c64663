#include "dataplane/node/state/packet_filter.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::node {
namespace {

bool holds(const std::vector<IpPrefix>& networks, IpAddress address) {
  return std::ranges::any_of(networks,
                             [=](const IpPrefix& network) { return network.contains(address); });
}

bool has_ports(std::uint8_t protocol) {
  return protocol == kTrackedTcp || protocol == kTrackedUdp;
}

bool guards(const TunnelGuard& guard, std::uint8_t protocol, std::uint16_t destination_port) {
  return guard.protocol == protocol &&
         (protocol != kTrackedUdp || guard.udp_port == destination_port);
}

std::string set(const std::vector<IpPrefix>& networks) {
  std::string text = "{";
  for (const IpPrefix& network : networks)
    text += fmt::format("{}{}", text.size() > 1 ? "," : "", network.to_string());
  return text + '}';
}

std::string sources(const TunnelGuard& guard) {
  const std::string networks = set(guard.networks);
  if (!guard.members) return networks;
  return guard.networks.empty() ? "{members}" : "{members," + networks.substr(1);
}

std::string protocol_match(const TunnelGuard& guard) {
  return guard.protocol == kTrackedUdp ? fmt::format("-p udp --dport {}", guard.udp_port)
                                       : fmt::format("-p {}", guard.protocol);
}

std::string_view random(const PacketFilter& filter) {
  return filter.random_fully ? " --random-fully" : "";
}

// The lines of the masquerade rules, in the order in which masquerade() checks them.

std::string destination_line(const IpPrefix& network) {
  return fmt::format("-A POSTROUTING -d {} -j MASQUERADE", network.to_string());
}

/// If the rule has ports, one line each for TCP and UDP precedes the line for all other protocols.
std::string source_line(const PacketFilter& filter, std::uint8_t protocol) {
  const bool limits_ports = filter.nat_ports && has_ports(protocol);
  const char* name = protocol == kTrackedTcp ? "tcp" : "udp";
  if (filter.masquerades_in_ebpf)
    return fmt::format("bpf masquerade src {} dst not {}{}", set(filter.masqueraded_sources),
                       set(filter.unmasqueraded_destinations),
                       limits_ports ? fmt::format(" {} ports {}-{}", name, filter.nat_ports->first,
                                                  filter.nat_ports->last)
                                    : "");
  std::string line = fmt::format("-A {} -m set --match-set {} src -m set ! --match-set {} dst",
                                 filter.masquerade_chain, set(filter.masqueraded_sources),
                                 set(filter.unmasqueraded_destinations));
  if (!limits_ports) return line + fmt::format(" -j MASQUERADE{}", random(filter));
  return line + fmt::format(" -p {} -j MASQUERADE --to-ports {}-{}{}", name,
                            filter.nat_ports->first, filter.nat_ports->last, random(filter));
}

std::string device_line(const PacketFilter& filter, DeviceName device) {
  return fmt::format(
      "-A cali-POSTROUTING -o {} -m addrtype ! --src-type LOCAL "
      "--limit-iface-out -m addrtype --src-type LOCAL -j MASQUERADE{}",
      device.view(), random(filter));
}

bool is_masqueraded_source(const PacketFilter& filter, const Leaving& packet) {
  return holds(filter.masqueraded_sources, packet.source) &&
         !holds(filter.unmasqueraded_destinations, packet.destination);
}

}  // namespace

std::optional<Masquerade> masquerade(const PacketFilter& filter, const Leaving& packet) {
  using By = MasqueradeRule::By;
  if (!packet.device_address || packet.device_address->is_ipv4() != packet.destination.is_ipv4()) {
    return std::nullopt;
  }
  SourceTranslation translation{.source = *packet.device_address,
                                .random_fully = filter.random_fully};
  const auto to = std::ranges::find_if(filter.masqueraded_destinations, [&](const IpPrefix& entry) {
    return entry.contains(packet.destination);
  });
  if (to != filter.masqueraded_destinations.end()) {
    translation.random_fully = false;
    return Masquerade{{.by = By::Destination, .destination = *to}, translation};
  }
  if (is_masqueraded_source(filter, packet)) {
    if (has_ports(packet.protocol)) translation.ports = filter.nat_ports;
    return Masquerade{{.by = By::Source, .protocol = packet.protocol}, translation};
  }
  const bool wrong_source = packet.source_is_local && packet.source != *packet.device_address;
  if (wrong_source &&
      std::ranges::find(filter.tunnel_devices, packet.device) != filter.tunnel_devices.end()) {
    return Masquerade{{.by = By::TunnelDevice, .device = packet.device}, translation};
  }
  return std::nullopt;
}

std::vector<MasqueradeRule> masquerade_rules(const PacketFilter& filter) {
  using By = MasqueradeRule::By;
  std::vector<MasqueradeRule> rules;
  for (const IpPrefix& network : filter.masqueraded_destinations)
    rules.push_back({.by = By::Destination, .destination = network});
  if (!filter.masqueraded_sources.empty()) {
    if (filter.nat_ports) {
      rules.push_back({.by = By::Source, .protocol = kTrackedTcp});
      rules.push_back({.by = By::Source, .protocol = kTrackedUdp});
    }
    rules.push_back({.by = By::Source});
  }
  for (const DeviceName device : filter.tunnel_devices)
    rules.push_back({.by = By::TunnelDevice, .device = device});
  return rules;
}

std::string masquerade_line(const PacketFilter& filter, const MasqueradeRule& rule) {
  switch (rule.by) {
    case MasqueradeRule::By::Destination:
      return destination_line(rule.destination);
    case MasqueradeRule::By::Source:
      return source_line(filter, rule.protocol);
    case MasqueradeRule::By::TunnelDevice:
      return device_line(filter, rule.device);
    case MasqueradeRule::By::Mark:
      return "";
  }
  return "";
}

bool is_untracked(const PacketFilter& filter, std::uint8_t protocol,
                  std::uint16_t destination_port) {
  return protocol == kTrackedUdp &&
         std::ranges::find(filter.untracked_udp_ports, destination_port) !=
             filter.untracked_udp_ports.end();
}

std::vector<std::string> untracked_lines(std::uint16_t udp_port) {
  return {fmt::format("-A cali-PREROUTING -p udp --dport {} -m addrtype --dst-type LOCAL "
                      "-j NOTRACK",
                      udp_port),
          fmt::format("-A cali-OUTPUT -p udp --dport {} -m addrtype --src-type LOCAL "
                      "-j NOTRACK",
                      udp_port)};
}

const TunnelGuard* find_guard(const PacketFilter& filter, std::uint8_t protocol,
                              std::uint16_t destination_port) {
  const auto at = std::ranges::find_if(filter.tunnel_guards, [&](const TunnelGuard& guard) {
    return guards(guard, protocol, destination_port);
  });
  return at == filter.tunnel_guards.end() ? nullptr : &*at;
}

std::vector<std::string> guard_lines(const TunnelGuard& guard) {
  const std::string match = protocol_match(guard);
  return {fmt::format("-A cali-INPUT {} -m set --match-set {} src -m addrtype --dst-type LOCAL "
                      "-j ACCEPT",
                      match, sources(guard)),
          fmt::format("-A cali-INPUT {} -j DROP", match)};
}

bool admits(const TunnelGuard& guard, IpAddress source, bool is_member) {
  return (guard.members && is_member) || holds(guard.networks, source);
}

std::string to_string(const PacketFilter& filter) {
  std::string text;
  if (filter.tracking == Tracking::Translated) text += "# connections are tracked\n";
  if (filter.tracking == Tracking::All)
    text += "# connections are tracked, also untranslated ones\n";
  if (!filter.untracked_udp_ports.empty()) text += "*raw\n";
  for (const std::uint16_t port : filter.untracked_udp_ports) {
    for (const std::string& line : untracked_lines(port))
      text += line + '\n';
  }
  if (!filter.tunnel_guards.empty()) text += "*filter\n";
  for (const TunnelGuard& guard : filter.tunnel_guards) {
    for (const std::string& line : guard_lines(guard))
      text += line + '\n';
  }
  const std::vector<MasqueradeRule> rules = masquerade_rules(filter);
  if (!rules.empty()) text += "*nat\n";
  for (const MasqueradeRule& rule : rules)
    text += masquerade_line(filter, rule) + '\n';
  return text;
}

}  // namespace overlane::node
