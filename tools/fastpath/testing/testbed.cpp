#include "tools/fastpath/testing/testbed.h"

#include <fmt/format.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::fastpath {
namespace {

using kernel::Command;
using kernel::NetworkNamespace;
using Outcome = Result<void, std::string>;

/// The VXLAN configuration of a Calico node by Felix (felix/dataplane/linux/vxlan_mgr.go), with the
/// link-layer addresses of the states.
void add_vxlan(std::vector<Command>& commands) {
  append(commands, kernel::Program::Ip,
         {"link add vxlan.calico address 66:00:00:00:00:01 mtu 1450 type vxlan id 4096 "
          "local 10.250.0.5 dev eth0 dstport 4789 nolearning",
          "link set vxlan.calico up", "address add 100.96.2.1/32 dev vxlan.calico",
          "neigh replace 100.96.0.1 lladdr 66:00:00:00:00:00 dev vxlan.calico nud permanent"});
  append(commands, kernel::Program::Bridge,
         {"fdb replace 66:00:00:00:00:00 dev vxlan.calico dst 10.250.0.4 self permanent"});
}

/// Creates a veth pair, waits until both ends carry packets, and disables its offloads.
Outcome join(const NetworkNamespace& here, const std::string& device, const NetworkNamespace& there,
             const std::string& far_device) {
  const std::vector<Command> commands = {
      {kernel::Program::Ip,
       fmt::format("link add {} type veth peer name {} netns world", device, far_device)},
      {kernel::Program::Ip, fmt::format("link set {} up", device)}};
  if (auto done = run_commands(commands, here, there); !done) return done;
  if (auto done = ip(there, {fmt::format("link set {} up", far_device)}); !done) return done;
  if (auto done = kernel::make_ready(here, device); !done) return done;
  return kernel::make_ready(there, far_device);
}

}  // namespace

void append(std::vector<Command>& commands, kernel::Program program,
            std::initializer_list<std::string> lines) {
  for (const std::string& line : lines)
    commands.push_back({program, line});
}

std::vector<Command> pod_commands(const std::string& address, std::uint32_t mtu) {
  std::vector<Command> commands;
  append(
      commands, kernel::Program::Ip,
      {"link set lo up", fmt::format("link set eth0 mtu {}", mtu),
       fmt::format("address add {}/32 dev eth0", address),
       "route add 169.254.1.1 dev eth0 scope link", "route add default via 169.254.1.1 dev eth0"});
  return commands;
}

std::vector<Command> far_node_commands(const Layout& layout) {
  std::vector<Command> commands;
  append(commands, kernel::Program::Sysctl,
         {"net/ipv4/ip_forward=1", "net/ipv4/conf/all/rp_filter=0",
          "net/ipv4/conf/default/rp_filter=0", "net/ipv4/conf/cali1/rp_filter=0",
          "net/ipv4/conf/cali1/proxy_arp=1", "net/ipv4/neigh/cali1/proxy_delay=0"});
  append(commands, kernel::Program::Ip,
         {"link set lo up", "address add 10.250.0.5/19 dev eth0",
          // The VPC's router, so that no neighbour resolution waits for it.
          "address add 10.250.0.1/32 dev eth0", fmt::format("route add {} dev cali1", kFarPod),
          // Without a default route, proxy ARP does not answer for 169.254.1.1 (arp_process,
          // net/ipv4/arp.c).
          "route add default via 10.250.0.254 dev eth0"});
  if (layout.variant == "ipip") {
    append(commands, kernel::Program::Ip,
           {"link set tunl0 mtu 1480 up", "address add 100.96.2.1/32 dev tunl0",
            "route add 100.96.0.0/23 via 10.250.0.4 dev tunl0 onlink"});
  } else {
    add_vxlan(commands);
    append(commands, kernel::Program::Ip,
           {layout.variant == "vxlan" ? "route add 100.96.0.0/23 via 100.96.0.1 dev vxlan.calico "
                                        "onlink"
                                      : "route add 100.96.0.0/23 via 10.250.0.4 dev eth0"});
  }
  return commands;
}

Outcome ip(const NetworkNamespace& place, const std::vector<std::string>& lines) {
  std::vector<Command> commands;
  for (const std::string& line : lines)
    commands.push_back({kernel::Program::Ip, line});
  return run_commands(commands, place, place);
}

Parsed<NearSide> NearSide::make(const Layout& layout) {
  auto near_pod = kernel::make_silent_namespace();
  if (!near_pod) return fail(near_pod.error());
  auto middle = kernel::make_silent_namespace();
  if (!middle) return fail(middle.error());
  if (auto done = join(*near_pod, "eth0", *middle, "pods0"); !done) return fail(done.error());
  auto done = run_commands(pod_commands(kNearPod, layout.pod_mtu), *near_pod, *middle);
  if (!done) return fail(done.error());
  return NearSide{std::move(*near_pod), std::move(*middle)};
}

Outcome NearSide::wire() const {
  std::string lines;
  const std::pair<const char*, const char*> pairs[] = {
      {"pods0", "tpods"}, {"tpods", "pods0"}, {"up0", "tup"}, {"tup", "up0"}};
  for (const auto& [from, to] : pairs) {
    lines += fmt::format(
        "qdisc add dev {0} clsact\n"
        "filter add dev {0} ingress protocol all u32 match u32 0 0 "
        "action mirred egress redirect dev {1}\n",
        from, to);
  }
  const kernel::Inside inside(middle);
  const auto exit = kernel::run_program({"tc", "-batch", "-"}, lines);
  if (!exit) return fail(exit.error());
  if (exit->code != 0) return fail("tc: " + exit->output);
  for (const char* tap : {"tpods", "tup"})
    if (auto done = kernel::make_ready(middle, tap); !done) return done;
  return {};
}

Parsed<FarSide> FarSide::make(const Layout& layout, const NearSide& near) {
  auto node = kernel::make_silent_namespace();
  if (!node) return fail(node.error());
  auto pod = kernel::make_silent_namespace();
  if (!pod) return fail(pod.error());
  auto done = join(*node, "eth0", near.middle, "up0");
  if (done) done = join(*pod, "eth0", *node, "cali1");
  if (done) done = run_commands(far_node_commands(layout), *node, *pod);
  if (done) done = run_commands(pod_commands(kFarPod, layout.far_pod_mtu), *pod, *node);
  if (!done) return fail(done.error());
  return FarSide{std::move(*node), std::move(*pod)};
}

}  // namespace overlane::fastpath
