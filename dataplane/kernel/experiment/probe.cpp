#include "dataplane/kernel/experiment/probe.h"

#include <array>

#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::kernel {
namespace {

/// An ability, and a command that works where it is there. The fallback devices (tunl0, sit0,
/// ip6tnl0) come with their module, which the first device of the kind loads.
struct Trial {
  const char* name;
  Program program;
  const char* arguments;
  const char* table = "";
};

constexpr std::array kTrials = {
    Trial{"veth", Program::Ip, "link add eth0 type veth peer name eth0 netns world"},
    Trial{"vxlan", Program::Ip, "link add v0 type vxlan id 1 dstport 4789 local 192.0.2.1"},
    Trial{"ipip", Program::Ip, "link set tunl0 up"},
    Trial{"sit", Program::Ip, "link set sit0 up"},
    Trial{"ip6tnl", Program::Ip, "link set ip6tnl0 up"},
    Trial{"geneve", Program::Ip, "link add g0 type geneve id 1 remote 192.0.2.1"},
    Trial{"filter raw", Program::Iptables, "-A PREROUTING -j ACCEPT", "raw"},
    Trial{"filter rpfilter", Program::Iptables,
          "-A PREROUTING -i cali+ -m rpfilter --validmark --invert -j DROP", "raw"},
    Trial{"filter comment", Program::Iptables, "-A INPUT -m comment --comment x -j DROP", "filter"},
    Trial{"filter addrtype", Program::Iptables,
          "-A INPUT -p 4 -m addrtype --dst-type LOCAL -j ACCEPT", "filter"},
    Trial{"filter masquerade", Program::Iptables, "-A POSTROUTING -j MASQUERADE", "nat"},
    Trial{"filter6 rpfilter", Program::Ip6tables,
          "-A PREROUTING -i cali+ -m rpfilter --validmark --invert -j DROP", "raw"},
};

std::string attempt(const Trial& trial) {
  const auto node = NetworkNamespace::make();
  if (!node) return node.error();
  const auto world = NetworkNamespace::make();
  if (!world) return world.error();
  const std::array commands = {Command{trial.program, trial.arguments, trial.table}};
  const auto done = run_commands(commands, *node, *world);
  return done ? "" : done.error();
}

}  // namespace

std::vector<Ability> probe() {
  std::vector<Ability> abilities;
  for (const Trial& trial : kTrials)
    abilities.push_back({trial.name, attempt(trial)});
  return abilities;
}

}  // namespace overlane::kernel
