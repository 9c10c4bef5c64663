#include "dataplane/kernel/agent/host_dataplane.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <span>
#include <sstream>
#include <sys/utsname.h>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::agent {
namespace {

using kernel::Command;
using kernel::NetworkNamespace;
using kernel::Program;
using Outcome = Result<void, std::string>;

/// Roles for kernel::numbered_mac.
constexpr std::uint8_t kPodRole = 6;
constexpr std::uint8_t kPodNodeRole = 7;
constexpr std::uint8_t kTunnelRole = 8;

Command ip(std::string arguments) {
  return {Program::Ip, std::move(arguments)};
}

std::string device_name(const SetUpVariant& variant, std::string_view what) {
  return fmt::format("{}{}-{}", kDevicePrefix, variant.number, what);
}

MacAddress tunnel_mac(const SetUpVariant& variant, bool is_first) {
  return kernel::numbered_mac(kTunnelRole, 2 * std::size_t{variant.number} + (is_first ? 0 : 1));
}

/// The command by which a device forwards the IPv4 packets that arrive on it. IPv6 forwarding
/// applies to all devices together (ip6_forward, net/ipv6/ip6_output.c), so the host must decide on
/// it.
Command forwarding(const std::string& device) {
  return {Program::Sysctl, fmt::format("net/ipv4/conf/{}/forwarding=1", device)};
}

std::string read_sysctl(const std::string& key) {
  std::ifstream file("/proc/sys/" + key);
  std::string value;
  file >> value;
  return value;
}

/// The output of a program of iproute2.
Parsed<std::string> shown(const std::vector<std::string>& arguments) {
  const auto exit = kernel::run_program(arguments, "");
  if (!exit) return fail(exit.error());
  if (exit->code != 0) return fail(arguments.front() + ": " + exit->output);
  return exit->output;
}

std::string family_option(bool is_ipv4) {
  return is_ipv4 ? "-4" : "-6";
}

/// The host's routes in all tables that overlap a range, without default routes.
Parsed<std::string> routes_in_the_way(const IpPrefix& range) {
  std::string found;
  for (const char* selector : {"root", "match"}) {
    const auto routes = shown({"ip", family_option(range.is_ipv4()), "route", "show", "table",
                               "all", "to", selector, range.to_string()});
    if (!routes) return fail(routes.error());
    std::istringstream lines(*routes);
    for (std::string line; std::getline(lines, line);)
      if (line.find("default") == std::string::npos && found.empty()) found = line;
  }
  return found;
}

/// Whether an error of iproute2 says that the object to remove does not exist. Routes disappear
/// when their device goes down, and users remove devices.
bool is_gone(const std::string& error) {
  return error.find("No such process") != std::string::npos ||
         error.find("Cannot find device") != std::string::npos;
}

/// Runs commands in the host's namespace and records how to undo those that succeeded.
class Steps {
 public:
  Steps(const NetworkNamespace& own, const NetworkNamespace& world, std::vector<Command>& undo)
      : own_(own), world_(world), undo_(undo) {}

  Outcome run(std::vector<Command> commands) {
    return kernel::run_commands(commands, own_, world_);
  }
  Outcome run(Command command, Command undo) {
    if (auto done = run({std::move(command)}); !done) return done;
    undo_.push_back(std::move(undo));
    return {};
  }
  Outcome add_device(const std::string& name, const std::string& arguments) {
    return run(ip(fmt::format("link add {} {}", name, arguments)),
               ip(fmt::format("link delete {}", name)));
  }

 private:
  const NetworkNamespace& own_;
  const NetworkNamespace& world_;
  std::vector<Command>& undo_;
};

Outcome set_up_device(const NetworkNamespace& place, const std::string& device,
                      const kernel::DeviceOffloads& offloads) {
  if (auto done = kernel::wait_until_running(place, device); !done) return done;
  return kernel::set_offloads(place, device, offloads);
}

/// The device's type and its parameters, for `ip link add`.
std::string tunnel_type(const SetUpVariant& variant, const PodNetwork& pods,
                        const std::string& uplink, const IpAddress& own) {
  const std::string mac = tunnel_mac(variant, pods.is_first).to_string();
  switch (pods.encapsulation) {
    case Encapsulation::Vxlan:
      return fmt::format("address {} mtu {} type vxlan id {} local {} dev {} dstport {} nolearning",
                         mac, pods.mtu, pods.vni, own.to_string(), uplink, pods.udp_port);
    case Encapsulation::Geneve:
      return fmt::format("address {} mtu {} type geneve id {} remote {} dstport {}", mac, pods.mtu,
                         pods.vni, variant.peer.to_string(), pods.udp_port);
    default:
      return fmt::format("mtu {} type ipip local {} remote {} ttl inherit nopmtudisc", pods.mtu,
                         own.to_string(), variant.peer.to_string());
  }
}

struct DeviceAddress {
  std::string device;
  IpAddress address;
  bool is_loopback = false;
};

/// Addresses of devices, without IPv6 link-local addresses.
Parsed<std::vector<DeviceAddress>> device_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return fail(kernel::system_error("addresses"));
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  std::vector<DeviceAddress> all;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    DeviceAddress found{.device = one->ifa_name,
                        .is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0};
    if (one->ifa_addr->sa_family == AF_INET) {
      sockaddr_in in;
      std::memcpy(&in, one->ifa_addr, sizeof in);
      found.address = Ipv4Address{ntohl(in.sin_addr.s_addr)};
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      sockaddr_in6 in;
      std::memcpy(&in, one->ifa_addr, sizeof in);
      if (IN6_IS_ADDR_LINKLOCAL(&in.sin6_addr)) continue;
      Ipv6Address address;
      std::ranges::copy(in.sin6_addr.s6_addr, address.bytes.begin());
      found.address = address;
    } else {
      continue;
    }
    all.push_back(std::move(found));
  }
  return all;
}

/// The device through which the other host is reached.
Parsed<std::string> find_uplink(const std::vector<DeviceAddress>& all,
                                const IpAddress& reached_at) {
  const auto holder = std::ranges::find(all, reached_at, &DeviceAddress::address);
  if (holder == all.end())
    return fail(fmt::format("no device has the address {}; start the agent with --uplink",
                            reached_at.to_string()));
  if (holder->is_loopback)
    return fail(
        fmt::format("the agent was reached at {}, which no other host can; start it with "
                    "--uplink",
                    reached_at.to_string()));
  return holder->device;
}

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

Parsed<std::string> leftovers() {
  std::vector<std::string> commands;
  if (struct if_nameindex* list = if_nameindex(); list != nullptr) {
    for (const struct if_nameindex* one = list; one->if_index != 0; ++one)
      if (std::string_view(one->if_name).starts_with(kDevicePrefix))
        commands.push_back(fmt::format("ip link delete {}", one->if_name));
    if_freenameindex(list);
  }
  for (const bool is_ipv4 : {true, false}) {
    const std::string family = family_option(is_ipv4);
    const auto found = shown(
        {"ip", family, "route", "show", "table", "all", "proto", std::to_string(kRouteProtocol)});
    if (!found) return fail(found.error());
    if (!found->empty())
      commands.push_back(
          fmt::format("ip {} route flush table all proto {}", family, kRouteProtocol));
  }
  return fmt::format("{}", fmt::join(commands, "; "));
}

HostDataplane::~HostDataplane() {
  static_cast<void>(tear_down());  // A caller that needs the error has called tear_down() before.
}

Outcome HostDataplane::set_up(const SetUpVariant& variant) {
  if (made_.contains(variant.number))
    return fail(fmt::format("variant {} is set up already", variant.number));
  Made made{.variant = variant, .pods = {}, .undo = {}};
  if (auto done = make(made); !done) {
    if (auto undone = undo(made.undo); !undone) return fail(done.error() + "; " + undone.error());
    return done;
  }
  made_.emplace(variant.number, std::move(made));
  return {};
}

Outcome HostDataplane::make(Made& made) {
  const SetUpVariant& variant = made.variant;
  if (!variant.pods) return {};
  if (facts_.network == HostNetwork::AsIs)
    return fail("this agent makes no pods: it was started with --network as-is");
  const PodNetwork& pods = *variant.pods;
  for (const IpPrefix& range : {pods.own_range, pods.peer_range}) {
    const auto route = routes_in_the_way(range);
    if (!route) return fail(route.error());
    if (!route->empty())
      return fail(fmt::format("the host has a route in {}: {}", range.to_string(), *route));
  }
  const auto own = NetworkNamespace::of_this_thread();
  if (!own) return fail(own.error());
  if (auto done = forward_on_uplink(variant.peer.family()); !done) return done;
  if (auto done = add_pods(made, *own); !done) return done;
  return add_way_to_peer(made, *own);
}

Outcome HostDataplane::forward_on_uplink(Family family) {
  if (family == Family::Ipv6) {
    if (read_sysctl("net/ipv6/conf/all/forwarding") != "0") return {};
    return fail("the host does not forward IPv6; set net.ipv6.conf.all.forwarding to 1");
  }
  const std::string key = fmt::format("net/ipv4/conf/{}/forwarding", facts_.uplink);
  const std::string before = read_sysctl(key);
  if (before != "0") return {};
  const auto own = NetworkNamespace::of_this_thread();
  if (!own) return fail(own.error());
  return Steps(*own, *own, undo_)
      .run(forwarding(facts_.uplink), {Program::Sysctl, fmt::format("{}={}", key, before)});
}

Outcome HostDataplane::add_pods(Made& made, const NetworkNamespace& own) {
  const PodNetwork& pods = *made.variant.pods;
  const auto world = kernel::make_silent_namespace();
  if (!world) return fail(world.error());
  Steps steps(own, *world, made.undo);
  for (std::size_t i = 0; i < pods.pods.size(); ++i) {
    const kernel::PodVeth veth{.address = pods.pods[i],
                               .device = device_name(made.variant, fmt::format("p{}", i)),
                               .mtu = pods.mtu,
                               .pod_mac = kernel::numbered_mac(kPodRole, i),
                               .node_mac = kernel::numbered_mac(kPodNodeRole, i)};
    const std::string& device = veth.device;
    if (auto done = steps.add_device(
            device, fmt::format("address {} mtu {} type veth peer name {} netns {}",
                                veth.node_mac.to_string(), veth.mtu, device, kernel::kWorld));
        !done)
      return done;
    const std::string address = veth.address.to_string();
    if (auto done =
            steps.run({forwarding(device), ip(fmt::format("link set {} up", device)),
                       ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", address,
                                      veth.pod_mac.to_string(), device)),
                       ip(fmt::format("route add {} dev {} proto {}",
                                      kernel::host_prefix(veth.address), device, kRouteProtocol))});
        !done)
      return done;
    auto pod = kernel::make_pod(veth, *world);
    if (!pod) return fail(pod.error());
    for (const auto& [place, name] : {std::pair(&own, device), {&*pod, std::string("eth0")}})
      if (auto done = set_up_device(*place, name, made.variant.offloads); !done) return done;
    made.pods.emplace(veth.address, *std::move(pod));
  }
  return {};
}

Outcome HostDataplane::add_way_to_peer(Made& made, const NetworkNamespace& own) {
  const SetUpVariant& variant = made.variant;
  const PodNetwork& pods = *variant.pods;
  Steps steps(own, own, made.undo);
  const std::string range = pods.peer_range.to_string();
  if (pods.encapsulation == Encapsulation::None)
    return steps.run(
        ip(fmt::format("route add {} via {} dev {} proto {}", range, variant.peer.to_string(),
                       facts_.uplink, kRouteProtocol)),
        ip(fmt::format("route delete {} dev {} proto {}", range, facts_.uplink, kRouteProtocol)));
  const auto address = facts_.address(variant.peer.family());
  if (!address) return fail(facts_.uplink + " has no address of the peer's family");
  if (pods.encapsulation == Encapsulation::Ipip) {
    // A tunnel with both addresses would receive the packets of a tunnel with only a local address
    // (tunl0).
    const auto others = shown({"ip", "-brief", "link", "show", "up", "type", "ipip"});
    if (!others) return fail(others.error());
    if (!others->empty())
      return fail("the host has IPIP in use: " + others->substr(0, others->find(' ')));
  }
  const std::string device = device_name(variant, to_string(pods.encapsulation));
  if (auto done = steps.add_device(device, tunnel_type(variant, pods, facts_.uplink, *address));
      !done)
    return done;
  std::vector<Command> commands = {forwarding(device), ip(fmt::format("link set {} up", device))};
  if (pods.encapsulation == Encapsulation::Ipip) {
    commands.push_back(
        ip(fmt::format("route add {} dev {} proto {}", range, device, kRouteProtocol)));
  } else {
    // Follows Felix: the tunnel's address on each node is the first address of the node's range.
    const std::string gateway = pods.peer_range.network().to_string();
    const std::string mac = tunnel_mac(variant, !pods.is_first).to_string();
    commands.push_back(ip(fmt::format("address add {} dev {}",
                                      kernel::host_prefix(pods.own_range.network()), device)));
    commands.push_back(
        ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", gateway, mac, device)));
    commands.push_back(ip(fmt::format("route add {} via {} dev {} onlink proto {}", range, gateway,
                                      device, kRouteProtocol)));
    if (pods.encapsulation == Encapsulation::Vxlan)
      commands.push_back(
          {Program::Bridge, fmt::format("fdb replace {} dev {} dst {} self permanent", mac, device,
                                        variant.peer.to_string())});
  }
  if (auto done = steps.run(std::move(commands)); !done) return done;
  return set_up_device(own, device, variant.offloads);
}

Parsed<kernel::FlowEnd> HostDataplane::end(const Made& made, const IpAddress& address,
                                           bool is_here) const {
  const SetUpVariant& variant = made.variant;
  kernel::FlowEnd found{.address = address};
  const auto pod = made.pods.find(address);
  if (is_here) {
    if (pod != made.pods.end()) found.place = &pod->second;
    if (found.place != nullptr || facts_.address(address.family()) == address) return found;
  } else if (address == variant.peer ||
             (variant.pods && variant.pods->peer_range.contains(address))) {
    return found;
  }
  return fail(fmt::format("{} is no address of the variant", address.to_string()));
}

Parsed<std::vector<kernel::Flow>> HostDataplane::flows(const Prepare& prepare) const {
  const auto made = made_.find(prepare.variant);
  if (made == made_.end()) return fail(fmt::format("variant {} is not set up", prepare.variant));
  std::vector<kernel::Flow> flows;
  std::size_t ends = 0;
  for (const AgentFlow& one : prepare.flows) {
    kernel::Flow flow{.load = one.load,
                      .client = {},
                      .server = {},
                      .port = one.port,
                      .seed = one.seed,
                      .here = one.here};
    auto client = end(made->second, one.client, flow.has_client());
    auto server = end(made->second, one.server, flow.has_server());
    if (!client || !server) return fail(client ? server.error() : client.error());
    // The processors in turn.
    const auto next_cpu = [&] {
      return facts_.processors == 1 ? -1 : static_cast<int>(ends++ % facts_.processors);
    };
    flow.client = *client;
    flow.server = *server;
    if (flow.has_client()) flow.client.cpu = next_cpu();
    if (flow.has_server()) flow.server.cpu = next_cpu();
    flows.push_back(std::move(flow));
  }
  return flows;
}

Outcome HostDataplane::undo(std::vector<Command>& commands) {
  if (commands.empty()) return {};
  const auto own = NetworkNamespace::of_this_thread();
  if (!own) return fail(own.error());
  std::string problem;
  for (; !commands.empty(); commands.pop_back()) {
    const auto done = kernel::run_commands(std::span(&commands.back(), 1), *own, *own);
    if (!done && !is_gone(done.error()) && problem.empty())
      problem = "not removed: " + done.error();
  }
  return problem.empty() ? Outcome() : fail(problem);
}

Outcome HostDataplane::tear_down() {
  Outcome result;
  const auto remove = [&](std::vector<Command>& commands) {
    if (auto done = undo(commands); !done && result) result = done;
  };
  for (auto& [number, made] : made_)
    remove(made.undo);
  made_.clear();
  remove(undo_);
  return result;
}

Parsed<HostFacts> host_facts(HostNetwork network, const std::optional<std::string>& uplink,
                             const IpAddress& reached_at) {
  const auto all = device_addresses();
  if (!all) return fail(all.error());
  const auto device = uplink ? Parsed<std::string>(*uplink) : find_uplink(*all, reached_at);
  if (!device) return fail(device.error());
  const auto mtu = kernel::mtu_of(*device);
  if (!mtu) return fail(mtu.error());
  utsname system{};
  uname(&system);
  HostFacts facts{.network = network,
                  .kernel = system.release,
                  .boot = first_line("/proc/sys/kernel/random/boot_id"),
                  .processors = std::max(1u, std::thread::hardware_concurrency()),
                  .uplink = *device,
                  .mtu = *mtu,
                  .offloads = kernel::offloads_of(*device)};
  for (const DeviceAddress& one : *all) {
    if (one.device != *device) continue;
    auto& own = one.address.is_ipv4() ? facts.ipv4 : facts.ipv6;
    // A device may have several addresses. Prefer the one that the client used.
    if (!own || one.address == reached_at) own = one.address;
  }
  if (!facts.ipv4 && !facts.ipv6) return fail(*device + " has no address");
  if (network == HostNetwork::Pods)
    for (const kernel::Ability& ability : kernel::probe())
      if (ability.missing.empty()) facts.abilities.push_back(ability.name);
  return facts;
}

}  // namespace overlane::agent
