#include "dataplane/kernel/experiment/packet_port.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::kernel {

using std::chrono::milliseconds;
using wire::kEthernetBytes;
using wire::kIpv6Bytes;

namespace {

constexpr std::size_t kLargestFrame = kEthernetBytes + 65535;

bool bind_to(int fd, const std::string& device) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
  return address.sll_ifindex != 0 &&
         bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Whether a packet is Neighbour Discovery (RFC 4861: ICMPv6 types 133–137) or a multicast listener
/// report (RFC 2710, RFC 3810), which has a hop-by-hop header with a router alert.
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

/// IPV6_FLOWINFO of linux/in6.h, which cannot be included together with netinet/in.h.
constexpr int kFlowInfo = 11;

/// Protocols that a node receives: ICMP, TCP and UDP. A raw socket for another protocol would
/// prevent the node from rejecting it.
constexpr std::array<std::uint8_t, 3> kIpv4Protocols = {IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP};
constexpr std::array<std::uint8_t, 3> kIpv6Protocols = {IPPROTO_ICMPV6, IPPROTO_TCP, IPPROTO_UDP};

OwnedFd raw_socket(int family, int protocol) {
  OwnedFd fd(socket(family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  const int on = 1;
  if (family == AF_INET6 && fd.is_open()) {
    for (const int option : {IPV6_RECVPKTINFO, IPV6_RECVHOPLIMIT, IPV6_RECVTCLASS, kFlowInfo})
      setsockopt(fd.get(), IPPROTO_IPV6, option, &on, sizeof on);
  }
  return fd;
}

/// Writes the IPv6 header from the header fields that the socket delivers separately from the
/// payload.
void write_ipv6_header(msghdr& message, const in6_addr& source, std::uint8_t protocol,
                       std::size_t payload_bytes, std::uint8_t* header) {
  std::uint32_t flow = 0;
  int traffic_class = 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != IPPROTO_IPV6) continue;
    int value = 0;
    std::memcpy(&value, CMSG_DATA(c), sizeof value);
    if (c->cmsg_type == IPV6_HOPLIMIT) header[7] = static_cast<std::uint8_t>(value);
    if (c->cmsg_type == IPV6_TCLASS) traffic_class = value;
    if (c->cmsg_type == kFlowInfo) flow = load_be32(CMSG_DATA(c)) & 0xfffff;
    if (c->cmsg_type == IPV6_PKTINFO) std::memcpy(header + 24, CMSG_DATA(c), sizeof(in6_addr));
  }
  store_be32(header, 6u << 28 | static_cast<std::uint32_t>(traffic_class) << 20 | flow);
  store_be16(header + 4, static_cast<std::uint16_t>(payload_bytes));
  header[6] = protocol;
  std::memcpy(header + 8, &source, sizeof source);
}

std::optional<std::vector<std::uint8_t>> receive_ipv6(int fd, std::uint8_t protocol) {
  std::vector<std::uint8_t> packet(kIpv6Bytes + 65535);
  alignas(cmsghdr) std::array<char, 256> control{};
  sockaddr_in6 from{};
  iovec data{packet.data() + kIpv6Bytes, packet.size() - kIpv6Bytes};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = recvmsg(fd, &message, 0);
  if (count < 0) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(count);
  packet.resize(kIpv6Bytes + bytes);
  write_ipv6_header(message, from.sin6_addr, protocol, bytes, packet.data());
  return packet;
}

std::optional<std::vector<std::uint8_t>> receive_ipv4(int fd) {
  std::vector<std::uint8_t> packet(65535);
  const ssize_t count = recv(fd, packet.data(), packet.size(), 0);
  if (count < 0) return std::nullopt;
  packet.resize(static_cast<std::size_t>(count));
  return packet;
}

/// Whether a packet is skipped as in PacketPort::receive.
bool is_neighbour_or_mld(const std::vector<std::uint8_t>& ipv6) {
  const std::uint8_t type = ipv6.size() > kIpv6Bytes ? ipv6[kIpv6Bytes] : 0;
  return ipv6[6] == IPPROTO_ICMPV6 && ((type >= 130 && type <= 137) || type == 143);
}

using Clock = std::chrono::steady_clock;

/// Waits for a packet. Returns false if `time` ends before one is waiting.
bool wait_for_packets(std::span<const int> fds, milliseconds time) {
  std::vector<pollfd> waiting;
  for (const int fd : fds)
    waiting.push_back({fd, POLLIN, 0});
  return poll(waiting.data(), waiting.size(), static_cast<int>(time.count())) > 0;
}

}  // namespace

Parsed<PacketPort> PacketPort::open(const NetworkNamespace& place, const std::string& device) {
  const Inside inside(place);
  // Protocol 0: the socket receives nothing until it is bound to its device.
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
  // A locally administered source address; it is not checked.
  const auto frame = wire::framed(packet, destination, MacAddress{{0x02}});
  // If the frame is larger than the peer's MTU, veth_xmit returns NET_XMIT_DROP, which is ENOBUFS
  // here. The frame was sent, and the peer's counters contain the drop.
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

Parsed<LocalSockets> LocalSockets::open(const NetworkNamespace& node,
                                        std::vector<std::uint16_t> tunnel_ports) {
  const Inside inside(node);
  LocalSockets all;
  all.tunnel_ports_ = std::move(tunnel_ports);
  for (const std::uint8_t protocol : kIpv4Protocols)
    all.sockets_.push_back({raw_socket(AF_INET, protocol), false, protocol});
  for (const std::uint8_t protocol : kIpv6Protocols)
    all.sockets_.push_back({raw_socket(AF_INET6, protocol), true, protocol});
  all.senders_.push_back({raw_socket(AF_INET, IPPROTO_RAW), false, IPPROTO_RAW});
  all.senders_.push_back({raw_socket(AF_INET6, IPPROTO_RAW), true, IPPROTO_RAW});
  const auto closed = [](const Socket& socket) { return !socket.fd.is_open(); };
  if (std::ranges::any_of(all.sockets_, closed) || std::ranges::any_of(all.senders_, closed)) {
    return fail(system_error("raw socket"));
  }
  return all;
}

Result<void, std::string> LocalSockets::send(std::span<const std::uint8_t> packet) const {
  const bool ipv6 = !packet.empty() && packet[0] >> 4 == 6;
  const std::size_t header_bytes = ipv6 ? kIpv6Bytes : 20;
  if (packet.size() < header_bytes) return fail("too short for a header");
  sockaddr_in6 to6{};
  sockaddr_in to4{};
  to6.sin6_family = AF_INET6;
  to4.sin_family = AF_INET;
  if (ipv6) {
    std::memcpy(&to6.sin6_addr, packet.data() + 24, sizeof to6.sin6_addr);
  } else {
    std::memcpy(&to4.sin_addr, packet.data() + 16, sizeof to4.sin_addr);
  }
  const auto* to =
      ipv6 ? reinterpret_cast<const sockaddr*>(&to6) : reinterpret_cast<const sockaddr*>(&to4);
  const socklen_t size = ipv6 ? sizeof to6 : sizeof to4;
  const int fd = senders_[ipv6 ? 1 : 0].fd.get();
  if (sendto(fd, packet.data(), packet.size(), 0, to, size) < 0) return fail(system_error("send"));
  return {};
}

Result<void, std::string> LocalSockets::listen(const NetworkNamespace& node,
                                               std::uint16_t udp_port) {
  if (std::ranges::find(tunnel_ports_, udp_port) != tunnel_ports_.end()) return {};
  const Inside inside(node);
  for (const int family : {AF_INET, AF_INET6}) {
    OwnedFd fd(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    if (family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    sockaddr_in6 any6{};
    sockaddr_in any4{};
    any6.sin6_family = AF_INET6;
    any6.sin6_port = htons(udp_port);
    any4.sin_family = AF_INET;
    any4.sin_port = htons(udp_port);
    const auto* address = family == AF_INET6 ? reinterpret_cast<const sockaddr*>(&any6)
                                             : reinterpret_cast<const sockaddr*>(&any4);
    const socklen_t size = family == AF_INET6 ? sizeof any6 : sizeof any4;
    if (bind(fd.get(), address, size) != 0) return fail(system_error("listening"));
    listeners_.push_back(std::move(fd));
  }
  return {};
}

std::optional<std::vector<std::uint8_t>> LocalSockets::receive() const {
  for (const Socket& socket : sockets_) {
    while (true) {
      auto packet = socket.ipv6 ? receive_ipv6(socket.fd.get(), socket.protocol)
                                : receive_ipv4(socket.fd.get());
      if (!packet) break;
      if (socket.ipv6 && is_neighbour_or_mld(*packet)) continue;
      const std::size_t ports = socket.ipv6 ? kIpv6Bytes : (packet->at(0) & 0xfu) * 4;
      const bool tunnelled =
          socket.protocol == IPPROTO_UDP && packet->size() >= ports + 4 &&
          std::ranges::find(tunnel_ports_, load_be16(packet->data() + ports + 2)) !=
              tunnel_ports_.end();
      if (!tunnelled) return packet;
    }
  }
  return std::nullopt;
}

std::vector<int> LocalSockets::fds() const {
  std::vector<int> fds;
  for (const Socket& socket : sockets_)
    fds.push_back(socket.fd.get());
  return fds;
}

void collect(std::span<const int> fds, std::size_t expected, milliseconds quiet,
             const std::function<std::size_t()>& take) {
  const auto end = Clock::now() + kPatience;
  std::size_t taken = 0;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const bool complete = taken >= expected;
    if (!wait_for_packets(fds, complete ? quiet : std::max(left, milliseconds{0}))) return;
    if (complete && Clock::now() > end) return;
    taken = take();
  }
}

}  // namespace overlane::kernel
