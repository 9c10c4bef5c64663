#include "dataplane/kernel/agent/host/host_facts.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/utsname.h>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/probe.h"
#include "dataplane/kernel/namespaces/device.h"
#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::agent {
namespace {

struct DeviceAddress {
  std::string device;
  IpAddress address;
  bool is_loopback = false;
};

/// IPv6 addresses without those of the link alone.
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

/// The device that leads to the other host.
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
    // A device may have several: the one by which the client knows this host is preferred.
    if (!own || one.address == reached_at) own = one.address;
  }
  if (!facts.ipv4 && !facts.ipv6) return fail(*device + " has no address");
  if (network == HostNetwork::Pods)
    for (const kernel::Ability& ability : kernel::probe())
      if (ability.missing.empty()) facts.abilities.push_back(ability.name);
  return facts;
}

}  // namespace overlane::agent
