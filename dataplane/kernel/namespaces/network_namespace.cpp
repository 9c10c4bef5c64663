#include "dataplane/kernel/namespaces/network_namespace.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <thread>
#include <utility>

namespace overlane::kernel {
namespace {

OwnedFd open_own() {
  return OwnedFd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

/// Enters a namespace. Aborts on failure, because the thread would continue in the wrong network.
void enter_or_die(const OwnedFd& target) {
  if (setns(target.get(), CLONE_NEWNET) != 0) std::terminate();
}

ifreq request_for(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

OwnedFd control_socket() {
  return OwnedFd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

}  // namespace

Parsed<NetworkNamespace> NetworkNamespace::make() {
  const OwnedFd before = open_own();
  if (!before.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  if (unshare(CLONE_NEWNET) != 0) {
    if (errno == EPERM) return fail("making a network namespace needs root (CAP_SYS_ADMIN)");
    return fail(system_error("unshare"));
  }
  OwnedFd made = open_own();
  enter_or_die(before);
  if (!made.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  return NetworkNamespace(std::move(made));
}

Parsed<NetworkNamespace> NetworkNamespace::of_this_thread() {
  OwnedFd own = open_own();
  if (!own.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  return NetworkNamespace(std::move(own));
}

Inside::Inside(const NetworkNamespace& target) : before_(open_own()) {
  if (!before_.is_open() || setns(target.fd(), CLONE_NEWNET) != 0) std::terminate();
}

Inside::~Inside() {
  enter_or_die(before_);
}

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

Result<void, std::string> bring_up(const NetworkNamespace& place, const std::string& device) {
  const Inside inside(place);
  const OwnedFd fd = control_socket();
  ifreq request = request_for(device);
  if (ioctl(fd.get(), SIOCGIFFLAGS, &request) != 0) return fail(system_error(device));
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (ioctl(fd.get(), SIOCSIFFLAGS, &request) != 0) return fail(system_error(device));
  return {};
}

/// IFF_RUNNING is set when the link watch (net/core/link_watch.c) has noticed the carrier, just
/// before it activates the device's queue.
Result<void, std::string> wait_until_running(const NetworkNamespace& place,
                                             const std::string& device) {
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kSteps = 5000;
  const Inside inside(place);
  const OwnedFd fd = control_socket();
  for (int step = 0; step < kSteps; ++step) {
    ifreq request = request_for(device);
    if (ioctl(fd.get(), SIOCGIFFLAGS, &request) != 0) return fail(system_error(device));
    const int flags = request.ifr_flags;
    if ((flags & IFF_UP) == 0 || (flags & IFF_RUNNING) != 0) return {};
    std::this_thread::sleep_for(kStep);
  }
  return fail(device + " never began to run");
}

Result<void, std::string> set_offloads(const NetworkNamespace& place, const std::string& device,
                                       const DeviceOffloads& offloads) {
  const Inside inside(place);
  const OwnedFd fd = control_socket();
  const std::pair<int, bool> settings[] = {{ETHTOOL_STXCSUM, offloads.checksums},
                                           {ETHTOOL_STSO, offloads.segmentation},
                                           {ETHTOOL_SGSO, offloads.segmentation},
                                           {ETHTOOL_SGRO, offloads.receive}};
  for (const auto& [what, on] : settings) {
    ethtool_value value{static_cast<std::uint32_t>(what), on ? 1u : 0u};
    ifreq request = request_for(device);
    request.ifr_data = reinterpret_cast<char*>(&value);
    // A device without the offload returns EOPNOTSUPP. The call also waits for the configuration
    // lock, which is held while the device starts to run.
    if (ioctl(fd.get(), SIOCETHTOOL, &request) != 0 && errno != EOPNOTSUPP)
      return fail(system_error("setting offloads of " + device));
  }
  return {};
}

DeviceOffloads offloads_of(const std::string& device) {
  const OwnedFd fd = control_socket();
  const auto is_on = [&](std::uint32_t what) {
    ethtool_value value{what, 0};
    ifreq request = request_for(device);
    request.ifr_data = reinterpret_cast<char*>(&value);
    return ioctl(fd.get(), SIOCETHTOOL, &request) == 0 && value.data != 0;
  };
  return {.checksums = is_on(ETHTOOL_GTXCSUM),
          .segmentation = is_on(ETHTOOL_GTSO),
          .receive = is_on(ETHTOOL_GGRO)};
}

Parsed<std::uint32_t> mtu_of(const std::string& device) {
  const OwnedFd fd = control_socket();
  ifreq request = request_for(device);
  if (ioctl(fd.get(), SIOCGIFMTU, &request) != 0) return fail(system_error(device));
  return static_cast<std::uint32_t>(request.ifr_mtu);
}

Result<void, std::string> make_ready(const NetworkNamespace& place, const std::string& device) {
  if (auto done = wait_until_running(place, device); !done) return done;
  return set_offloads(place, device, {.checksums = false, .segmentation = false, .receive = false});
}

}  // namespace overlane::kernel
