#include <set>

#include <fmt/format.h>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/set_up_steps.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/tunnel_ports.h"

namespace overlane::kernel {
namespace {

using node::NodeState;

/// Device names of pods in iptables' form (Felix's interface prefix).
constexpr std::string_view kPods = "cali+";

/// "-p 4", "-p udp --dport 4789": what an encapsulated packet looks like to a packet filter.
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
    // Felix's raw PREROUTING: what a workload sends must come from where its route leads back to.
    rule("raw", fmt::format("-A PREROUTING -i {} -m rpfilter --validmark --invert", kPods),
         Drop::SourceSpoofed);
    for (const std::string& match : tunnel_matches(state_)) {
      for (const char* chain : {"INPUT", "FORWARD"})
        rule("filter", fmt::format("-A {} -i {} {}", chain, kPods, match), Drop::PacketFilter);
    }
    if (state_.filter != nullptr) {
      for (const node::TunnelGuard& guard : state_.filter->tunnel_guards)
        add_guard(guard);
    }
    // Nobody listens on the node; its resets are not what became of the packet.
    commands_.push_back({program_, "-A OUTPUT -p tcp --tcp-flags RST RST -j DROP", "filter"});
    // Multicast listener reports, which also leave through tunnels.
    if (program_ == Program::Ip6tables) {
      commands_.push_back({program_, "-A OUTPUT -p icmpv6 --icmpv6-type 143 -j DROP", "filter"});
    }
  }

 private:
  Family family() const { return program_ == Program::Iptables ? Family::Ipv4 : Family::Ipv6; }

  /// Felix's filter INPUT for encapsulated packets: from its sources to this host, else drop.
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

void add_filters(const NodeState& state, std::vector<Command>& commands) {
  FilterCommands(state, Program::Iptables, commands).run();
  if (has_ipv6(state)) FilterCommands(state, Program::Ip6tables, commands).run();
}

}  // namespace overlane::kernel
