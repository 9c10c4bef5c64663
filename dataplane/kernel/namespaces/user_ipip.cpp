#include "dataplane/kernel/namespaces/user_ipip.h"

#include <array>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace overlane::kernel {
namespace {

using Packet = std::span<const std::uint8_t>;

/// Largest IPv4 packet, in bytes.
constexpr std::size_t kMaxPacket = 65'535;

Parsed<OwnedFd> open_tun() {
  OwnedFd tun(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  ifreq request{};
  std::strcpy(request.ifr_name, "tunl0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (!tun.is_open() || ioctl(tun.get(), TUNSETIFF, &request) != 0)
    return fail(system_error("TUN device tunl0"));
  return tun;
}

}  // namespace

struct UserIpip::State {
  OwnedFd tun;
  OwnedFd outer;   ///< Raw socket of protocol 4, which sends complete packets.
  OwnedFd routes;  ///< Netlink socket.
  std::atomic<bool> ends{false};
  std::jthread thread;

  ~State() {
    ends = true;
    if (thread.joinable()) thread.join();
  }

  void run() {
    constexpr int kLookAgain = 20;  // In milliseconds.
    std::array<pollfd, 2> waits{pollfd{tun.get(), POLLIN, 0}, pollfd{outer.get(), POLLIN, 0}};
    std::array<std::uint8_t, kMaxPacket> bytes;
    while (!ends) {
      if (poll(waits.data(), waits.size(), kLookAgain) <= 0) continue;
      for (ssize_t got = read(tun.get(), bytes.data(), bytes.size()); got > 0;
           got = read(tun.get(), bytes.data(), bytes.size()))
        send({bytes.data(), static_cast<std::size_t>(got)});
      for (ssize_t got = recv(outer.get(), bytes.data(), bytes.size(), 0); got > 0;
           got = recv(outer.get(), bytes.data(), bytes.size(), 0))
        receive({bytes.data(), static_cast<std::size_t>(got)});
    }
  }

  void send(Packet inner) {
    iphdr header{};
    if (inner.size() < sizeof header || inner[0] >> 4 != 4) return;
    std::memcpy(&header, inner.data(), sizeof header);
    const in_addr_t to = next_hop(header.daddr);
    std::array<std::uint8_t, kMaxPacket> packet;
    const std::size_t size = sizeof header + inner.size();
    if (size > packet.size()) return;
    constexpr std::uint8_t kTtl = 64;
    iphdr wrapper{};
    wrapper.version = 4;
    wrapper.ihl = sizeof wrapper / 4;
    wrapper.tos = header.tos;
    wrapper.frag_off = header.frag_off & htons(IP_DF);
    wrapper.ttl = kTtl;
    wrapper.protocol = IPPROTO_IPIP;
    wrapper.daddr = to;  // The kernel sets source, length, identification and checksum.
    std::memcpy(packet.data(), &wrapper, sizeof wrapper);
    std::memcpy(packet.data() + sizeof wrapper, inner.data(), inner.size());
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = to;
    // A packet that the kernel refuses is lost, as in its own device.
    static_cast<void>(sendto(outer.get(), packet.data(), size, 0,
                             reinterpret_cast<const sockaddr*>(&address), sizeof address));
  }

  void receive(Packet packet) {
    if (packet.empty()) return;
    const std::size_t header = std::size_t{packet[0] & 0xfu} * 4;
    if (header < sizeof(iphdr) || packet.size() <= header) return;
    const Packet inner = packet.subspan(header);
    // Fails while the device is down: the packet is lost.
    static_cast<void>(!write(tun.get(), inner.data(), inner.size()));
  }

  /// The gateway of the kernel's route to an address; the address itself if the route has none.
  in_addr_t next_hop(in_addr_t destination) {
    struct {
      nlmsghdr header;
      rtmsg route;
      rtattr attribute;
      in_addr_t address;
    } request{};
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = RTM_GETROUTE;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.route.rtm_family = AF_INET;
    request.route.rtm_dst_len = 32;
    request.attribute.rta_type = RTA_DST;
    request.attribute.rta_len = RTA_LENGTH(sizeof destination);
    request.address = destination;
    alignas(nlmsghdr) std::array<std::uint8_t, 4096> answer;
    if (::send(routes.get(), &request, sizeof request, 0) < 0) return destination;
    const ssize_t got = recv(routes.get(), answer.data(), answer.size(), 0);
    auto left = static_cast<unsigned>(got < 0 ? 0 : got);
    const auto* message = reinterpret_cast<const nlmsghdr*>(answer.data());
    if (!NLMSG_OK(message, left) || message->nlmsg_type != RTM_NEWROUTE) return destination;
    const auto* route = static_cast<const rtmsg*>(NLMSG_DATA(message));
    auto attributes = static_cast<unsigned>(RTM_PAYLOAD(message));
    for (const rtattr* one = RTM_RTA(route); RTA_OK(one, attributes);
         one = RTA_NEXT(one, attributes)) {
      if (one->rta_type != RTA_GATEWAY) continue;
      in_addr_t gateway = 0;
      std::memcpy(&gateway, RTA_DATA(one), sizeof gateway);
      return gateway;
    }
    return destination;
  }
};

UserIpip::UserIpip(std::unique_ptr<State> state) : state_(std::move(state)) {}
UserIpip::UserIpip(UserIpip&&) noexcept = default;
UserIpip::~UserIpip() = default;

Parsed<UserIpip> UserIpip::make(const NetworkNamespace& place) {
  const Inside inside(place);
  auto state = std::make_unique<State>();
  auto tun = open_tun();
  if (!tun) return fail(tun.error());
  state->tun = *std::move(tun);
  state->outer = OwnedFd(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_IPIP));
  const int on = 1;
  if (!state->outer.is_open() ||
      setsockopt(state->outer.get(), IPPROTO_IP, IP_HDRINCL, &on, sizeof on) != 0)
    return fail(system_error("raw socket of IPIP"));
  state->routes = OwnedFd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!state->routes.is_open()) return fail(system_error("netlink socket"));
  State& running = *state;
  state->thread = std::jthread([&running] { running.run(); });
  return UserIpip(std::move(state));
}

}  // namespace overlane::kernel
