#include "tools/fastpath/testing/testbed.h"

#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/testing/cluster.h"
#include "tools/fastpath/testing/echo.h"

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
          // Address of the VPC's router, so that no packet waits for its neighbour resolution.
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

namespace {

/// Enables IPv6 on a device, with only the messages that traffic needs.
void enable(std::vector<Command>& commands, const std::string& device) {
  for (const char* setting :
       {"accept_dad=0", "accept_ra=0", "router_solicitations=0", "disable_ipv6=0"}) {
    commands.push_back(
        {kernel::Program::Sysctl, fmt::format("net/ipv6/conf/{}/{}", device, setting)});
  }
}

/// The commands that configure a pod like Calico's CNI plugin.
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
          // Address of the VPC's router.
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

namespace {

namespace fs = std::filesystem;

constexpr const char* kUml = "/usr/bin/linux.uml";
/// Files in the folder: the pod is ready; the requested exchange (pod and MTU); its result; the
/// request to stop; user-mode Linux has ended.
constexpr const char* kReady = "ready";
constexpr const char* kAsked = "asked";
constexpr const char* kAnswer = "answer";
constexpr const char* kStop = "stop";
constexpr const char* kEnded = "ended";
/// The result of a successful exchange.
constexpr const char* kAllWell = "all is well";

/// Writes a file atomically.
void write_whole(const fs::path& file, const std::string& text) {
  const fs::path unfinished = file.string() + ".unfinished";
  std::ofstream(unfinished) << text;
  fs::rename(unfinished, file);
}

/// A command as a line of a shell script, in a namespace if `place` is not empty.
std::string line(const kernel::Command& command, const std::string& place) {
  const std::string inside = place.empty() ? "" : "ip netns exec " + place + " ";
  if (command.program != kernel::Program::Sysctl) return inside + to_string(command) + '\n';
  const std::size_t equals = command.arguments.find('=');
  return fmt::format("echo {} >/proc/sys/{}\n", command.arguments.substr(equals + 1),
                     command.arguments.substr(0, equals));
}

/// The script inside: creates node and pod, and runs this program in the pod.
std::string script(const Layout& layout, const fs::path& folder) {
  std::string text =
      "set -x\n"
      "ip link set eth0 up\n"
      "ip netns add far_pod\n"
      "ip link add cali1 type veth peer name eth0 netns far_pod\n"
      "ip link set cali1 up\n"
      "ip -n far_pod link set eth0 up\n";
  for (const kernel::Command& command : far_node_commands(layout))
    text += line(command, "");
  for (const kernel::Command& command : pod_commands(kFarPod, layout.far_pod_mtu))
    text += line(command, "far_pod");
  const std::string self = fs::read_symlink("/proc/self/exe");
  return text + fmt::format(
                    "OVERLANE_FAR_POD='{}' ip netns exec far_pod '{}' "
                    "--gtest_also_run_disabled_tests --gtest_filter='FarPod.*'\n"
                    "ip -s link; ip -d link show tunl0; cat /proc/net/snmp\n",
                    folder.string(), self);
}

}  // namespace

std::string UmlFarSide::why_not() {
  if (access(kUml, X_OK) != 0) return fmt::format("{} is not there", kUml);
  std::ifstream processors("/proc/cpuinfo");
  for (std::string word; processors >> word;)
    if (word == "amx_tile")
      return "user-mode Linux 6.1 has no room for AMX's registers: it ends with \"ptrace set fp "
             "regs failed\"";
  return "";
}

Parsed<std::unique_ptr<UmlFarSide>> UmlFarSide::start(const Layout& layout, const NearSide& near,
                                                      const fs::path& folder) {
  auto made = ip(near.middle, {"tuntap add up0 mode tap", "link set up0 up"});
  if (!made) return fail(made.error());
  std::ofstream(folder / "boot") << kernel::boot_script(script(layout, folder));
  fs::permissions(folder / "boot", fs::perms::owner_all);
  auto far = std::unique_ptr<UmlFarSide>(new UmlFarSide(near, folder));
  comes_true([&] { return fs::exists(folder / kReady) || fs::exists(folder / kEnded); });
  if (!fs::exists(folder / kReady)) return fail("user-mode Linux does not come up");
  // The tap is running once a process has opened its other end.
  if (made = kernel::make_ready(near.middle, "up0"); !made) return fail(made.error());
  return far;
}

UmlFarSide::UmlFarSide(const NearSide& near, fs::path folder)
    : folder_(std::move(folder)), thread_([this, &near] {
        const kernel::Inside inside(near.middle);
        const auto printed = kernel::run_supervised(
            {kUml, "mem=256M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw",
             "init=" + (folder_ / "boot").string(), "con=null", "con0=fd:0,fd:1", "quiet",
             "eth0=tuntap,up0", "uml_dir=" + (folder_ / "").string()},
            folder_, std::chrono::minutes(10));
        std::ofstream(folder_ / kEnded) << (printed ? *printed : printed.error());
      }) {}

UmlFarSide::~UmlFarSide() {
  std::ofstream(folder_ / kStop).flush();
}

std::string UmlFarSide::exchange_all_sizes_with(const std::string& pod, std::size_t mtu) const {
  write_whole(folder_ / kAsked, fmt::format("{} {}\n", pod, mtu));
  if (!comes_true([&] { return fs::exists(folder_ / kAnswer); }, std::chrono::minutes(3))) {
    return "no answer from user-mode Linux";
  }
  std::string answer;
  std::getline(std::ifstream(folder_ / kAnswer), answer, '\0');
  fs::remove(folder_ / kAnswer);
  return answer == kAllWell ? "" : "in user-mode Linux: " + answer;
}

std::string UmlFarSide::serve(const fs::path& folder) {
  const auto echo = Echo::start();
  if (!echo) return echo.error();
  const auto here = kernel::NetworkNamespace::of_this_thread();
  if (!here) return here.error();
  std::ofstream(folder / kReady).flush();
  const auto is_there = [&](const char* name) { return fs::exists(folder / name); };
  while (
      comes_true([&] { return is_there(kStop) || is_there(kAsked); }, std::chrono::minutes(10))) {
    if (is_there(kStop)) return "";
    std::string pod;
    std::size_t mtu = 0;
    std::ifstream(folder / kAsked) >> pod >> mtu;
    fs::remove(folder / kAsked);
    const std::string wrong = exchange_all_sizes(*here, pod, mtu);
    write_whole(folder / kAnswer, wrong.empty() ? kAllWell : wrong);
  }
  return "nobody ended it";
}

}  // namespace overlane::fastpath
