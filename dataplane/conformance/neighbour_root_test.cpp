#include <algorithm>
#include <array>
#include <chrono>
#include <linux/if_packet.h>
#include <map>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>

#include "dataplane/kernel/network_namespace.h"
#include "dataplane/kernel/packet_port.h"
#include "dataplane/kernel/run_commands.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"

namespace overlane::conformance {
namespace {

using kernel::Command;
using kernel::Inside;
using kernel::NetworkNamespace;
using kernel::OwnedFd;
using kernel::Program;
using Bytes = std::vector<std::uint8_t>;

const IpAddress kNode = IpAddress::parse("10.250.0.1").value();

/// One family of a pod as Calico's plugin sets it up: an address of its own alone, and all else
/// behind a gateway that is nobody's address or a link-local one.
struct Side {
  IpAddress pod;
  IpAddress gateway;
  IpAddress far;  ///< Somewhere else.
  int bits;
};
const std::array kSides = {
    Side{IpAddress::parse("10.0.0.2").value(), IpAddress::parse("169.254.1.1").value(),
         IpAddress::parse("192.0.2.9").value(), 32},
    Side{IpAddress::parse("2001:db8::2").value(),
         IpAddress::parse("fe80::ecee:eeff:feee:eeee").value(),
         IpAddress::parse("2001:db8:9::9").value(), 128}};

std::vector<Command> pod_commands() {
  std::vector<std::string> lines = {
      "link add name eth0 address 02:00:00:00:00:02 type veth peer name port netns world",
      "link set eth0 up"};
  for (const Side& side : kSides) {
    const std::string via = " via " + side.gateway.to_string() + " dev eth0";
    const bool is_ipv4 = side.pod.is_ipv4();
    lines.push_back("addr add " + side.pod.to_string() + "/" + std::to_string(side.bits) +
                    " dev eth0" + (is_ipv4 ? "" : " nodad"));
    if (is_ipv4) lines.push_back("route add " + side.gateway.to_string() + " dev eth0");
    lines.push_back("route add " + std::string(is_ipv4 ? "0.0.0.0/0" : "::/0") + via);
  }
  std::vector<Command> commands = {{Program::Sysctl, "net/ipv6/conf/default/accept_dad=0"}};
  for (const std::string& line : lines)
    commands.push_back({Program::Ip, line});
  return commands;
}

/// A packet socket on the host's end of the pod's veth.
OwnedFd open_port(const NetworkNamespace& place) {
  const Inside inside(place);
  OwnedFd fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex("port"));
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

constexpr std::uint16_t kPort = 7;

sockaddr_in6 socket_address(const IpAddress& address) {
  sockaddr_in6 result{};
  result.sin6_family = AF_INET6;
  result.sin6_port = htons(kPort);
  // An IPv4 address is IPv4-mapped for an IPv6 socket.
  const Ipv6Address bytes = address.ipv6();
  std::ranges::copy(bytes.bytes, result.sin6_addr.s6_addr);
  return result;
}

/// Whether a datagram waits in the socket.
bool takes_datagram(const OwnedFd& socket) {
  return recv(socket.get(), nullptr, 0, MSG_DONTWAIT) >= 0;
}

Bytes datagram(const IpAddress& source, const IpAddress& destination) {
  Bytes packet((destination.is_ipv4() ? wire::kIpv4Bytes : wire::kIpv6Bytes) + wire::kUdpBytes);
  if (destination.is_ipv4()) {
    write(wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(packet.size()),
                           .protocol = wire::kUdp,
                           .source = source.ipv4(),
                           .destination = destination.ipv4()},
          packet);
  } else {
    write(wire::Ipv6Header{.payload_length = wire::kUdpBytes,
                           .next_header = wire::kUdp,
                           .source = source,
                           .destination = destination},
          packet);
  }
  const auto segment = std::span(packet).last(wire::kUdpBytes);
  wire::UdpHeader header{.source_port = kPort, .destination_port = kPort};
  write(header, segment);
  header.checksum = transport_checksum(source, destination, wire::kUdp, segment);
  write(header, segment);
  return packet;
}

/// A kernel that is a pod, and a Link at the host's end of its veth.
class NeighbourRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "making a network namespace needs root";
    auto pod = NetworkNamespace::make();
    auto host = kernel::make_silent_namespace();
    ASSERT_TRUE(pod && host);
    pod_.emplace(std::move(*pod));
    host_.emplace(std::move(*host));
    run(pod_commands(), *pod_);
    run({{Program::Ip, "link set port up"}}, *host_);
    ASSERT_TRUE(kernel::make_ready(*pod_, "eth0") && kernel::make_ready(*host_, "port"));
    port_ = open_port(*host_);
    const Inside inside(*pod_);
    socket_ = OwnedFd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in6 any = socket_address(IpAddress::parse("::").value());
    ASSERT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
  }

  void run(const std::vector<Command>& commands, const NetworkNamespace& place) {
    const auto done = kernel::run_commands(commands, place, *host_);
    ASSERT_TRUE(done) << done.error();
  }

  Picos now() const {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    return skipped_ + nanoseconds(std::chrono::nanoseconds(elapsed).count());
  }

  /// Lets both talk until it holds, for three seconds at most.
  template <typename Predicate>
  bool soon(Predicate holds) {
    constexpr std::chrono::milliseconds kStep{1};
    for (int step = 0; step < 3000; ++step) {
      if (holds()) return true;
      std::array<std::uint8_t, 2048> bytes;
      const ssize_t count = recv(port_.get(), bytes.data(), bytes.size(), 0);
      const std::span frame(bytes.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
      if (count < 0) std::this_thread::sleep_for(kStep);
      if (!link.receive(frame, now(), *this)) passed_.emplace_back(frame.begin(), frame.end());
      link.tick(now(), *this);
    }
    return false;
  }

  /// Time goes by at once.
  void skip(Picos time) {
    skipped_ += time;
    link.tick(now(), *this);
  }

  /// Whether a packet from the pod to that address has come in.
  bool has_passed(const Side& side) const {
    return std::ranges::any_of(passed_, [&](const Bytes& frame) {
      if (frame.size() < wire::kEthernetBytes) return false;
      const auto packet = std::span(frame).subspan(wire::kEthernetBytes);
      if (side.far.is_ipv4()) {
        const auto header = wire::parse_ipv4(packet);
        return header && IpAddress(header->destination) == side.far;
      }
      const auto header = wire::parse_ipv6(packet);
      return header && header->destination == side.far;
    });
  }

 public:
  void transmit(std::span<const std::uint8_t> frame) {
    EXPECT_EQ(::send(port_.get(), frame.data(), frame.size(), 0),
              static_cast<ssize_t>(frame.size()));
  }
  void learnt(const IpAddress&, const MacAddress&) {}
  void lost(const IpAddress& address) { ++lost_[address]; }
  void undelivered(const IpAddress&, std::span<const std::uint8_t>) { ++undelivered_; }

 protected:
  neighbour::Link link{{.mac = {{0xee, 0xee, 0xee, 0xee, 0xee, 0xee}},
                        .answers = {.own = {kNode}, .proxy_arp = true}}};
  std::optional<NetworkNamespace> pod_;
  std::optional<NetworkNamespace> host_;
  OwnedFd port_;
  OwnedFd socket_;  ///< Of the pod.
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Picos skipped_;
  std::vector<Bytes> passed_;
  std::map<IpAddress, int> lost_;
  int undelivered_ = 0;
};

const MacAddress kPodMac{{2, 0, 0, 0, 0, 2}};

TEST_F(NeighbourRoot, APodFindsItsGateway) {
  for (const Side& side : kSides) {
    const sockaddr_in6 to = socket_address(side.far);
    ASSERT_GE(sendto(socket_.get(), "", 0, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
              0);
    EXPECT_TRUE(soon([&] { return has_passed(side); })) << side.far.to_string();
    EXPECT_EQ(link.find(side.pod), kPodMac) << "it said so when it asked";
  }
}

TEST_F(NeighbourRoot, APodIsFoundAndFoundAgain) {
  for (const Side& side : kSides) {
    link.send(side.pod, datagram(side.far, side.pod), now(), *this);
    EXPECT_EQ(link.find(side.pod), std::nullopt);
    EXPECT_TRUE(soon([&] { return takes_datagram(socket_); })) << side.pod.to_string();
    EXPECT_EQ(link.find(side.pod), kPodMac);
  }
  // When their time is over they are asked again, and answer.
  skip(neighbour::kReachable);
  skip(neighbour::kDelay);
  EXPECT_LT(link.next_deadline(), now() + neighbour::kDelay) << "it is asked";
  EXPECT_TRUE(soon([&] { return link.next_deadline() > now() + neighbour::kDelay; }));
  EXPECT_TRUE(lost_.empty());

  run({{Program::Ip, "addr flush dev eth0"}}, *pod_);
  for (const Picos time :
       {neighbour::kReachable, neighbour::kDelay, seconds(1), seconds(1), seconds(1)})
    skip(time);
  for (const Side& side : kSides)
    EXPECT_EQ(lost_[side.pod], 1) << side.pod.to_string();
  EXPECT_EQ(undelivered_, 0);
}

}  // namespace
}  // namespace overlane::conformance
