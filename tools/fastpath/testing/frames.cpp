#include "tools/fastpath/testing/frames.h"

#include <algorithm>
#include <array>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "dataplane/wire/tunnel_headers.h"

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

namespace {

constexpr Ipv4Address kNearNodeAddress{0x0afa0004};  // 10.250.0.4
constexpr Ipv4Address kFarNodeAddress{0x0afa0005};
constexpr Ipv4Address kNearPodAddress{0x64600002};  // 100.96.0.2
constexpr Ipv4Address kFarPodAddress{0x64600202};
constexpr std::uint32_t kVni = 4096;
/// The largest frame that a veth with an MTU of 1500 accepts.
constexpr std::size_t kLargestFrame = 1514;

}  // namespace

Malformed::Malformed(Wire wire, const MacAddress& port, const MacAddress& sender,
                     std::uint64_t seed)
    : wire_(wire),
      port_(port),
      sender_(sender),
      random_(seed, StreamUse::Pattern, static_cast<std::uint64_t>(wire)) {}

const std::vector<std::uint8_t>& Malformed::next() {
  using Make = void (Malformed::*)();
  static constexpr std::array<Make, 8> kKinds = {
      &Malformed::cut,       &Malformed::noise,    &Malformed::flipped, &Malformed::arp,
      &Malformed::discovery, &Malformed::fragment, &Malformed::nested,  &Malformed::stranger};
  frame_.clear();
  (this->*kKinds[below(kKinds.size())])();
  frame_.resize(std::clamp(frame_.size(), wire::kEthernetBytes, kLargestFrame));
  return frame_;
}

MacAddress Malformed::any_mac() {
  MacAddress mac{{2}};
  for (std::size_t i = 1; i < mac.bytes.size(); ++i)
    mac.bytes[i] = byte();
  return mac;
}

/// An address in the link's subnet that no real node or pod has.
Ipv4Address Malformed::any_neighbour() {
  const auto number = static_cast<std::uint32_t>(16 + below(8000));
  return {(wire_ == Wire::Pods ? kNearPodAddress.bits : kNearNodeAddress.bits) + number};
}

void Malformed::push_ethernet(const MacAddress& to, std::uint16_t type) {
  frame_.insert(frame_.begin(), wire::kEthernetBytes, 0);
  wire::write(wire::EthernetHeader{to, below(4) == 0 ? any_mac() : sender_, type}, frame_);
}

void Malformed::push_ipv4(Ipv4Address from, Ipv4Address to, std::uint8_t protocol,
                          std::uint16_t offset, bool more) {
  frame_.insert(frame_.begin(), wire::kIpv4Bytes, 0);
  wire::write(wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(frame_.size()),
                               .identification = static_cast<std::uint16_t>(random_.next()),
                               .more_fragments = more,
                               .fragment_offset = offset,
                               .protocol = protocol,
                               .source = from,
                               .destination = to},
              frame_);
}

void Malformed::push_udp(std::uint16_t port) {
  frame_.insert(frame_.begin(), wire::kUdpBytes, 0);
  wire::write(wire::UdpHeader{.source_port = static_cast<std::uint16_t>(1 + below(65535)),
                              .destination_port = port,
                              .length = static_cast<std::uint16_t>(frame_.size())},
              frame_);
}

void Malformed::push_vxlan() {
  push_ethernet({{0x66}}, wire::kEtherTypeIpv4);
  frame_.insert(frame_.begin(), wire::kVxlanBytes, 0);
  wire::write(wire::VxlanHeader{.vni = kVni}, frame_);
  push_udp(wire::kVxlanPort);
  push_ipv4(kFarNodeAddress, kNearNodeAddress, wire::kUdp);
}

void Malformed::payload(std::size_t most) {
  frame_.resize(below(most + 1));
  std::ranges::generate(frame_, [this] { return byte(); });
}

/// A valid frame, which other functions modify.
void Malformed::sound() {
  payload(200);
  push_udp(static_cast<std::uint16_t>(random_.next()));
  if (wire_ == Wire::Pods) {
    push_ipv4(kNearPodAddress, kFarPodAddress, wire::kUdp);
  } else {
    push_ipv4(kFarPodAddress, kNearPodAddress, wire::kUdp);
    push_vxlan();
  }
  push_ethernet(port_, wire::kEtherTypeIpv4);
}

void Malformed::cut() {
  sound();
  frame_.resize(below(frame_.size()));
}

void Malformed::noise() {
  static constexpr std::array<std::uint16_t, 5> kTypes = {
      wire::kEtherTypeIpv4, wire::kEtherTypeIpv6, wire::kEtherTypeArp, 0x8100, 0x88cc};
  payload(1500);
  push_ethernet(port_, kTypes[below(kTypes.size())]);
}

/// Changes one to four bytes, which usually makes a checksum wrong.
void Malformed::flipped() {
  sound();
  for (std::size_t count = 1 + below(4); count > 0; --count)
    frame_[wire::kEthernetBytes + below(frame_.size() - wire::kEthernetBytes)] = byte();
}

void Malformed::arp() {
  const MacAddress sender = any_mac();
  const bool is_pods = wire_ == Wire::Pods && below(2) == 0;
  const Ipv4Address claimed = is_pods ? kNearPodAddress : any_neighbour();
  const wire::ArpPacket packet{.operation = static_cast<std::uint16_t>(1 + below(2)),
                               .sender_mac = sender,
                               .sender = claimed,
                               .target_mac = port_,
                               .target = below(2) == 0 ? kNearNodeAddress : any_neighbour()};
  frame_.resize(wire::kArpBytes);
  wire::write(packet, frame_);
  const MacAddress everybody{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
  push_ethernet(below(2) == 0 ? port_ : everybody, wire::kEtherTypeArp);
}

void Malformed::discovery() {
  Ipv6Address from{{0xfe, 0x80}};
  std::generate(from.bytes.begin() + 8, from.bytes.end(), [this] { return byte(); });
  const Ipv6Address to{{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  wire::NeighbourMessage message{
      .type = below(2) == 0 ? wire::kNeighbourSolicitation : wire::kNeighbourAdvertisement,
      .overrides = true,
      .mac = any_mac()};
  message.target = from;
  frame_.resize(wire::kIpv6Bytes + message.bytes());
  wire::write_packet(message, from, to, frame_);
  push_ethernet({{0x33, 0x33, 0, 0, 0, 1}}, wire::kEtherTypeIpv6);
}

/// A fragment to the node itself, which would reassemble it, or to a pod.
void Malformed::fragment() {
  payload(1400);
  frame_.resize(frame_.size() / 8 * 8 + 8);
  const auto offset = static_cast<std::uint16_t>(below(8000) * 8);
  const bool to_node = below(2) == 0;
  if (wire_ == Wire::Pods) {
    push_ipv4(kNearPodAddress, to_node ? kNearNodeAddress : kFarPodAddress, wire::kUdp, offset,
              true);
  } else {
    push_ipv4(kFarNodeAddress, to_node ? kNearNodeAddress : kNearPodAddress, wire::kUdp, offset,
              true);
  }
  push_ethernet(port_, wire::kEtherTypeIpv4);
}

void Malformed::nested() {
  payload(100);
  push_ipv4(kFarPodAddress, kNearPodAddress, wire::kUdp);
  for (std::size_t depth = 1 + below(12); depth > 0; --depth) {
    if (below(2) == 0) {
      push_vxlan();
    } else {
      push_ipv4(kFarNodeAddress, kNearNodeAddress, wire::kIpv4InIp);
    }
  }
  push_ethernet(port_, wire::kEtherTypeIpv4);
}

void Malformed::stranger() {
  payload(1400);
  push_udp(static_cast<std::uint16_t>(random_.next()));
  const Ipv4Address anybody{static_cast<std::uint32_t>(random_.next())};
  const Ipv4Address to = below(2) == 0 ? any_neighbour() : anybody;
  push_ipv4(below(2) == 0 ? kNearPodAddress : anybody, to, wire::kUdp);
  push_ethernet(port_, wire::kEtherTypeIpv4);
}

}  // namespace overlane::fastpath
