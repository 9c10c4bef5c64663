#include "tools/fastpath/testing/frames.h"

#include <algorithm>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip_packet.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::fastpath {

Parsed<FrameSocket> FrameSocket::open(const kernel::NetworkNamespace& place,
                                      const std::string& interface) {
  const kernel::Inside inside(place);
  // Without a protocol, the socket receives nothing.
  kernel::OwnedFd fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(kernel::system_error(interface));
  }
  return FrameSocket(std::move(fd));
}

bool FrameSocket::send(std::span<const std::uint8_t> frame) const {
  return ::send(fd_.get(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
}

bool is_vxlan(std::span<const std::uint8_t> frame) {
  const auto packet = frame.subspan(wire::kEthernetBytes);
  const auto ip = wire::parse_ipv4(packet);
  if (!ip || ip->protocol != wire::kUdp || ip->fragment_offset != 0) return false;
  const auto udp = wire::inspect_udp(packet.subspan(ip->header_bytes));
  return udp && udp->header.destination_port == wire::kVxlanPort;
}

std::vector<std::uint8_t> too_large(std::span<const std::uint8_t> frame, std::uint16_t mtu) {
  constexpr std::size_t kQuoted = 128;
  constexpr std::size_t kAt = wire::kEthernetBytes + wire::kIpv4Bytes;
  const auto ethernet = wire::parse_ethernet(frame).value();
  const auto cause = wire::parse_ipv4(frame.subspan(wire::kEthernetBytes)).value();
  std::vector<std::uint8_t> answer(kAt + wire::kIcmpBytes + kQuoted);
  wire::write(wire::EthernetHeader{ethernet.source, ethernet.destination, wire::kEtherTypeIpv4},
              answer);
  wire::write(wire::Ipv4Header{.total_length =
                                   static_cast<std::uint16_t>(answer.size() - wire::kEthernetBytes),
                               .protocol = wire::kIcmp,
                               .source = cause.destination,
                               .destination = cause.source},
              std::span(answer).subspan(wire::kEthernetBytes));
  const auto message = std::span(answer).subspan(kAt);
  std::ranges::copy(frame.subspan(wire::kEthernetBytes, kQuoted),
                    message.begin() + wire::kIcmpBytes);
  wire::write(wire::IcmpHeader{.type = wire::kIcmpUnreachable,
                               .code = wire::kIcmpFragmentationNeeded,
                               .next_hop_mtu = mtu},
              message);
  return answer;
}

}  // namespace overlane::fastpath
