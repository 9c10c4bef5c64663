#include "dataplane/kernel/observe/packet_port.h"

#include <algorithm>
#include <cerrno>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "dataplane/kernel/namespaces/device.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::kernel {
namespace {

using wire::kEthernetBytes;
constexpr std::size_t kLargestFrame = kEthernetBytes + 65535;

bool bind_to(int fd, const std::string& device) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
  return address.sll_ifindex != 0 &&
         bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
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
  if (auto done = bring_up(place, device); !done) return fail(done.error());
  if (!bind_to(fd.get(), device)) return fail(system_error(device));
  return PacketPort(std::move(fd));
}

Result<void, std::string> PacketPort::send(const MacAddress& destination,
                                           std::span<const std::uint8_t> packet) const {
  // Locally administered; the source is not checked.
  const auto frame = wire::framed(packet, destination, MacAddress{{0x02}});
  // veth_xmit answers NET_XMIT_DROP, which is ENOBUFS here, where the peer does not take the frame:
  // it is larger than the peer's MTU. The frame was sent, and the peer's counters have the drop.
  if (::send(fd_.get(), frame.data(), frame.size(), 0) < 0 && errno != ENOBUFS)
    return fail(system_error("send"));
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

}  // namespace overlane::kernel
