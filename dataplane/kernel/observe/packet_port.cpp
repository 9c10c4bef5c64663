#include "dataplane/kernel/observe/packet_port.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <thread>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::kernel {
namespace {

using wire::kEthernetBytes;
constexpr std::size_t kLargestFrame = kEthernetBytes + 65535;

ifreq request_for(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

/// ioctl on a device; false when it fails.
bool control(int fd, unsigned long what, ifreq& request) {
  return ioctl(fd, what, &request) == 0;
}

bool bring_up(int fd, const std::string& device) {
  ifreq request = request_for(device);
  if (!control(fd, SIOCGIFFLAGS, request)) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  return control(fd, SIOCSIFFLAGS, request);
}

bool bind_to(int fd, const std::string& device) {
  ifreq request = request_for(device);
  if (!control(fd, SIOCGIFINDEX, request)) return false;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = request.ifr_ifindex;
  return bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// IFF_RUNNING is set when the link watch (net/core/link_watch.c) has seen the carrier, just before
/// it gives the device its queue.
Result<void, std::string> wait_until_running(int fd, const std::string& device) {
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kSteps = 5000;
  for (int step = 0; step < kSteps; ++step) {
    ifreq request = request_for(device);
    if (!control(fd, SIOCGIFFLAGS, request)) return fail(system_error(device));
    const int flags = request.ifr_flags;
    if ((flags & IFF_UP) == 0 || (flags & IFF_RUNNING) != 0) return {};
    std::this_thread::sleep_for(kStep);
  }
  return fail(device + " never began to run");
}

/// Neighbour discovery (RFC 4861: 133–137) and multicast listener reports (RFC 2710, RFC 3810),
/// which carry a hop-by-hop header with a router alert.
bool is_link_upkeep(std::span<const std::uint8_t> ipv6) {
  constexpr std::uint8_t kHopByHop = 0;
  constexpr std::uint8_t kIcmpv6 = 58;
  constexpr std::size_t kHeader = 40;
  if (ipv6.size() < kHeader + 9) return false;
  std::size_t at = kHeader;
  std::uint8_t next = ipv6[6];
  if (next == kHopByHop) {
    next = ipv6[at];
    at += 8;
  }
  if (next != kIcmpv6) return false;
  const std::uint8_t type = ipv6[at];
  return (type >= 130 && type <= 137) || type == 143;
}

}  // namespace

Parsed<PacketPort> PacketPort::open(const NetworkNamespace& place, const std::string& device) {
  const Inside inside(place);
  // Without a protocol nothing is received before the socket is bound to its device.
  OwnedFd fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open()) return fail(system_error("packet socket"));
  const int on = 1;
  setsockopt(fd.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
  if (!bring_up(fd.get(), device) || !bind_to(fd.get(), device)) {
    return fail(system_error(device));
  }
  return PacketPort(std::move(fd));
}

Result<void, std::string> PacketPort::send(const MacAddress& destination,
                                           std::span<const std::uint8_t> packet) const {
  // Locally administered; the source is not checked.
  const auto frame = wire::framed(packet, destination, MacAddress{{0x02}});
  if (::send(fd_.get(), frame.data(), frame.size(), 0) < 0) return fail(system_error("send"));
  return {};
}

std::optional<Frame> PacketPort::receive() const {
  std::vector<std::uint8_t> bytes(kLargestFrame);
  while (true) {
    const ssize_t count = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0) return std::nullopt;
    if (static_cast<std::size_t>(count) < kEthernetBytes) continue;
    const std::uint16_t type = load_be16(bytes.data() + 12);
    const std::span<const std::uint8_t> packet(bytes.data() + kEthernetBytes,
                                               static_cast<std::size_t>(count) - kEthernetBytes);
    if (type != ETHERTYPE_IP && type != ETHERTYPE_IPV6) continue;
    if (type == ETHERTYPE_IPV6 && is_link_upkeep(packet)) continue;
    Frame frame{.packet = {packet.begin(), packet.end()}};
    std::copy_n(bytes.begin(), frame.destination.bytes.size(), frame.destination.bytes.begin());
    return frame;
  }
}

Result<void, std::string> make_ready(const NetworkNamespace& place, const std::string& device) {
  const Inside inside(place);
  const OwnedFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (auto done = wait_until_running(fd.get(), device); !done) return done;
  for (const int what : {ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO}) {
    ethtool_value off{static_cast<std::uint32_t>(what), 0};
    ifreq request = request_for(device);
    request.ifr_data = reinterpret_cast<char*>(&off);
    // A device without the offload says so; the others must obey. Besides, this waits for the
    // configuration lock, under which the device began to run.
    if (!control(fd.get(), SIOCETHTOOL, request) && errno != EOPNOTSUPP) {
      return fail(system_error("switching offloads of " + device + " off"));
    }
  }
  return {};
}

}  // namespace overlane::kernel
