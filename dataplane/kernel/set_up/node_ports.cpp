#include "dataplane/kernel/set_up/node_ports.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {

void add_node_ports(std::span<const NodePort> node_ports, std::vector<Command>& commands) {
  for (const auto& [port, protocol, endpoint] : node_ports) {
    const Program program = endpoint.address.is_ipv4() ? Program::Iptables : Program::Ip6tables;
    const auto append = [&](std::string rule) {
      commands.push_back({program, std::move(rule), "nat"});
    };
    const Command masquerade{program, std::string(kMasqueradeMarked), "nat"};
    if (std::ranges::count(commands, masquerade) == 0) commands.push_back(masquerade);
    for (const char* chain : {"PREROUTING", "OUTPUT"}) {
      const std::string match = fmt::format("-A {} -m addrtype --dst-type LOCAL -p {} --dport {}",
                                            chain, protocol == forward::kTcp ? "tcp" : "udp", port);
      append(fmt::format("{} {}", match, kMarkForMasquerade));
      append(fmt::format("{} {}", match, to_endpoint(endpoint)));
    }
  }
}

}  // namespace overlane::kernel
