#include <set>

#include <fmt/format.h>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::kernel {
namespace {

using node::NodeState;

/// Device names of pods in iptables' form (Felix's interface prefix).
constexpr std::string_view kPods = "cali+";
/// The chain for packets to destinations outside the pools (Felix's cali-nat-outgoing).
constexpr std::string_view kOutgoing = "nat-outgoing";

/// Matches for encapsulated packets: "-p 4", "-p udp --dport 4789".
std::set<std::string> tunnel_matches(const NodeState& state) {
  std::set<std::string> matches{"-p 4", "-p 41"};
  for (const std::uint16_t port : node::tunnel_ports(state).all())
    matches.insert(fmt::format("-p udp --dport {}", port));
  return matches;
}

class FilterCommands {
 public:
  FilterCommands(const NodeState& state, Program program, std::vector<Command>& commands)
      : state_(state), program_(program), commands_(commands) {}

  void run() {
    // Felix's raw PREROUTING: the source of a workload's packet must be routed back to its device.
    rule("raw", fmt::format("-A PREROUTING -i {} -m rpfilter --validmark --invert", kPods),
         Drop::SourceSpoofed);
    for (const std::string& match : tunnel_matches(state_)) {
      for (const char* chain : {"INPUT", "FORWARD"})
        rule("filter", fmt::format("-A {} -i {} {}", chain, kPods, match), Drop::PacketFilter);
    }
    if (state_.filter != nullptr) {
      for (const node::TunnelGuard& guard : state_.filter->tunnel_guards)
        add_guard(guard);
      for (const std::uint16_t port : state_.filter->untracked_udp_ports)
        leave_untracked(port);
      add_masquerading(*state_.filter);
      if (state_.services != nullptr) add_services(*state_.services);
      if (state_.filter->tracking != node::Tracking::Off) track();
    }
    // No socket listens on the node, so drop TCP resets, which are not a result of forwarding.
    commands_.push_back({program_, "-A OUTPUT -p tcp --tcp-flags RST RST -j DROP", "filter"});
    // Drop multicast listener reports, which also leave through tunnels.
    if (program_ == Program::Ip6tables) {
      commands_.push_back({program_, "-A OUTPUT -p icmpv6 --icmpv6-type 143 -j DROP", "filter"});
    }
  }

 private:
  Family family() const { return program_ == Program::Iptables ? Family::Ipv4 : Family::Ipv6; }

  /// Felix's filter INPUT for encapsulated packets: accepts them from allowed sources to this host
  /// and drops the others.
  void add_guard(const node::TunnelGuard& guard) {
    const std::string match = guard.protocol == forward::kUdp
                                  ? fmt::format("-p udp --dport {}", guard.udp_port)
                                  : fmt::format("-p {}", guard.protocol);
    if (guard.members) {
      for (const node::Member& member : state_.cluster->members()) {
        if (const auto* addresses = member.in(family())) {
          accept(match, addresses->node.to_string());
        }
      }
    }
    for (const IpPrefix& network : guard.networks)
      if (network.network().family() == family()) accept(match, network.to_string());
    rule("filter", "-A INPUT " + match, Drop::TunnelSource);
  }

  void leave_untracked(std::uint16_t port) {
    append("raw", fmt::format("-A PREROUTING -p udp --dport {} -m addrtype --dst-type LOCAL "
                              "-j NOTRACK",
                              port));
    append("raw", fmt::format("-A OUTPUT -p udp --dport {} -m addrtype --src-type LOCAL "
                              "-j NOTRACK",
                              port));
  }

  /// Adds a rule that needs connection tracking. Without such a rule the kernel neither tracks
  /// connections nor reassembles packets of the family.
  void track() {
    append("filter", "-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT");
  }

  /// Adds the rules of node::PacketFilter in Felix's order, with lists of prefixes instead of
  /// Felix's sets.
  void add_masquerading(const node::PacketFilter& filter) {
    const std::string_view random = filter.random_fully ? " --random-fully" : "";
    for (const IpPrefix& network : of_family(filter.masqueraded_destinations))
      append("nat", fmt::format("-A POSTROUTING -d {} -j MASQUERADE", network.to_string()));
    const auto sources = of_family(filter.masqueraded_sources);
    if (!sources.empty()) append("nat", fmt::format("-N {}", kOutgoing));
    for (const IpPrefix& network : sources)
      append("nat", fmt::format("-A POSTROUTING -s {} -j {}", network.to_string(), kOutgoing));
    if (!sources.empty()) {
      for (const IpPrefix& network : of_family(filter.unmasqueraded_destinations))
        append("nat", fmt::format("-A {} -d {} -j RETURN", kOutgoing, network.to_string()));
      for (const char* protocol : {"tcp", "udp"}) {
        if (!filter.nat_ports) continue;
        append("nat",
               fmt::format("-A {} -p {} -j MASQUERADE --to-ports {}-{}{}", kOutgoing, protocol,
                           filter.nat_ports->first, filter.nat_ports->last, random));
      }
      append("nat", fmt::format("-A {} -j MASQUERADE{}", kOutgoing, random));
    }
    for (const node::DeviceName& device : filter.tunnel_devices) {
      append("nat", fmt::format("-A POSTROUTING -o {} -m addrtype ! --src-type LOCAL "
                                "--limit-iface-out -m addrtype --src-type LOCAL -j MASQUERADE{}",
                                device.view(), random));
    }
  }

  /// Adds kube-proxy's iptables rules, for every kind of proxy. For a service with several
  /// endpoints, `-m statistic` would select one at random.
  void add_services(const node::ServiceTable& table) {
    append("nat", std::string(kMasqueradeMarked));
    for (const node::Service& service : table.services()) {
      if (service.front.address.family() != family()) continue;
      const std::string match =
          fmt::format("-d {} -p {} --dport {}", service.front.address.to_string(),
                      service.front.protocol == forward::kTcp ? "tcp" : "udp", service.front.port);
      if (service.endpoints.empty()) {
        for (const char* chain : {"FORWARD", "OUTPUT"})
          append("filter",
                 fmt::format("-A {} -m conntrack --ctstate NEW {} -m comment --comment {} "
                             "-j REJECT",
                             chain, match, to_string(Drop::NoEndpoints)));
      }
      for (const char* chain : {"PREROUTING", "OUTPUT"})
        for (const node::Endpoint& endpoint : service.endpoints)
          send_on(table, match, chain, endpoint);
    }
  }
  void send_on(const node::ServiceTable& table, const std::string& match, const char* chain,
               const node::Endpoint& endpoint) {
    for (const IpPrefix& pods : of_family(table.pods()))
      append("nat", fmt::format("-A {} {} ! -s {} {}", chain, match, pods.to_string(),
                                kMarkForMasquerade));
    append("nat", fmt::format("-A {} {} -s {} {}", chain, match, endpoint.address.to_string(),
                              kMarkForMasquerade));
    append("nat", fmt::format("-A {} {} {}", chain, match, to_endpoint(endpoint)));
  }

  std::vector<IpPrefix> of_family(std::vector<IpPrefix> networks) const {
    std::erase_if(networks, [this](const IpPrefix& network) {
      return network.network().family() != family();
    });
    return networks;
  }

  void append(const char* table, std::string rule) {
    commands_.push_back({program_, std::move(rule), table});
  }

  void accept(const std::string& match, const std::string& source) {
    commands_.push_back(
        {program_,
         fmt::format("-A INPUT {} -s {} -m addrtype --dst-type LOCAL -j ACCEPT", match, source),
         "filter"});
  }

  void rule(const char* table, const std::string& match, Drop drop) {
    commands_.push_back({program_,
                         fmt::format("{} -m comment --comment {} -j DROP", match, to_string(drop)),
                         table});
  }

  const NodeState& state_;
  Program program_;
  std::vector<Command>& commands_;
};

}  // namespace

std::string to_endpoint(const node::Endpoint& endpoint) {
  const std::string address = endpoint.address.to_string();
  return fmt::format("-j DNAT --to-destination {}:{}",
                     endpoint.address.is_ipv4() ? address : "[" + address + "]", endpoint.port);
}

void add_filters(const NodeState& state, std::vector<Command>& commands) {
  FilterCommands(state, Program::Iptables, commands).run();
  if (!has_ipv6(state)) return;
  FilterCommands(state, Program::Ip6tables, commands).run();
  if (state.filter != nullptr && state.filter->tracking != node::Tracking::Off) {
    // The sysctl exists only after the rules.
    commands.push_back({Program::Sysctl, fmt::format("net/netfilter/nf_conntrack_frag6_timeout={}",
                                                     state.sysctls.ip6frag_time)});
  }
}

}  // namespace overlane::kernel
