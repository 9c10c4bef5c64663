#include "tools/fastpath/testing/ipv6.h"

#include <fmt/format.h>

#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::fastpath {
namespace {

using kernel::Command;
using kernel::NetworkNamespace;

/// Enables IPv6 on a device, with only the messages that traffic needs.
void enable(std::vector<Command>& commands, const std::string& device) {
  for (const char* setting :
       {"accept_dad=0", "accept_ra=0", "router_solicitations=0", "disable_ipv6=0"}) {
    commands.push_back(
        {kernel::Program::Sysctl, fmt::format("net/ipv6/conf/{}/{}", device, setting)});
  }
}

/// As configured by Calico's CNI plugin.
std::vector<Command> pod_commands6(const std::string& address) {
  std::vector<Command> commands;
  enable(commands, "eth0");
  append(commands, kernel::Program::Ip,
         {fmt::format("address add {}/128 dev eth0 nodad", address),
          "route add default via fe80::ecee:eeff:feee:eeee dev eth0"});
  return commands;
}

std::vector<Command> far_node_commands6(Encapsulation encapsulation) {
  std::vector<Command> commands;
  for (const char* device : {"lo", "eth0", "cali1"})
    enable(commands, device);
  append(commands, kernel::Program::Sysctl, {"net/ipv6/conf/all/forwarding=1"});
  append(commands, kernel::Program::Ip,
         {"address add fd00:10:250::5/64 dev eth0 nodad",
          // The VPC's router.
          "address add fd00:10:250::1/128 dev eth0 nodad",
          "address add fe80::ecee:eeff:feee:eeee/64 dev cali1 nodad",
          fmt::format("route add {}/128 dev cali1", kFarPod6)});
  if (encapsulation == Encapsulation::None) {
    append(commands, kernel::Program::Ip,
           {"route add fd00:10:96:1::/64 via fd00:10:250::4 dev eth0"});
    return commands;
  }
  append(commands, kernel::Program::Ip,
         {"link add vxlan-v6.calico address 66:06:00:00:00:01 mtu 1430 type vxlan id 4096 "
          "local fd00:10:250::5 dev eth0 dstport 4789 nolearning"});
  enable(commands, "vxlan-v6.calico");
  append(
      commands, kernel::Program::Ip,
      {"link set vxlan-v6.calico up", "address add fd00:10:96:2::1/128 dev vxlan-v6.calico nodad",
       "neigh replace fd00:10:96:1::1 lladdr 66:06:00:00:00:00 dev vxlan-v6.calico nud permanent",
       "route add fd00:10:96:1::/64 via fd00:10:96:1::1 dev vxlan-v6.calico onlink"});
  append(commands, kernel::Program::Bridge,
         {"fdb replace 66:06:00:00:00:00 dev vxlan-v6.calico dst fd00:10:250::4 self permanent"});
  return commands;
}

}  // namespace

node::NodeState near_state(Encapsulation encapsulation) {
  return node::testing::make_cluster(
             {.encapsulation = encapsulation, .cross_subnet = encapsulation == Encapsulation::None})
      .nodes[0];
}

Result<void, std::string> add_ipv6(const NearSide& near, const FarSide& far,
                                   Encapsulation encapsulation) {
  auto done = run_commands(pod_commands6(kNearPod6), near.near_pod, near.middle);
  if (done) done = run_commands(far_node_commands6(encapsulation), far.far_node, far.far_pod);
  if (done) done = run_commands(pod_commands6(kFarPod6), far.far_pod, far.far_node);
  return done;
}

}  // namespace overlane::fastpath
