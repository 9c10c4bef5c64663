#include "dataplane/conformance/testing/pod_kernel.h"

#include <algorithm>
#include <array>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::conformance::testing {
namespace {

using kernel::Command;
using kernel::Inside;
using kernel::NetworkNamespace;
using kernel::OwnedFd;
using kernel::Program;

std::vector<Command> pod_commands() {
  std::vector<std::string> lines = {
      "link add name eth0 address " + kPodMac.to_string() + " type veth peer name port netns world",
      "link set eth0 up"};
  for (const PodSide& side : pod_sides()) {
    const bool is_ipv4 = side.address.is_ipv4();
    const std::string gateway = side.gateway.to_string();
    lines.push_back("addr add " + side.address.to_string() +
                    (is_ipv4 ? "/32 dev eth0" : "/128 dev eth0 nodad"));
    if (is_ipv4) lines.push_back("route add " + gateway + " dev eth0");
    lines.push_back((is_ipv4 ? "route add 0.0.0.0/0 via " : "route add ::/0 via ") + gateway +
                    " dev eth0");
  }
  std::vector<Command> commands = {{Program::Sysctl, "net/ipv6/conf/default/accept_dad=0"}};
  for (const std::string& line : lines)
    commands.push_back({Program::Ip, line});
  return commands;
}

template <typename Address>
bool bind_to(const OwnedFd& fd, const Address& address) {
  return bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

OwnedFd open_port(const NetworkNamespace& place) {
  const Inside inside(place);
  OwnedFd fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex("port"));
  return bind_to(fd, address) ? std::move(fd) : OwnedFd();
}

/// The address in an IPv6 socket, which represents IPv4 in IPv4-mapped form.
sockaddr_in6 socket_address(const IpAddress& address) {
  constexpr std::uint16_t kEcho = 7;
  sockaddr_in6 result{};
  result.sin6_family = AF_INET6;
  result.sin6_port = htons(kEcho);
  const Ipv6Address bytes = address.ipv6();
  std::ranges::copy(bytes.bytes, result.sin6_addr.s6_addr);
  return result;
}

OwnedFd open_socket(const NetworkNamespace& place) {
  const Inside inside(place);
  OwnedFd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return bind_to(fd, socket_address(Ipv6Address{})) ? std::move(fd) : OwnedFd();
}

}  // namespace

std::vector<PodSide> pod_sides() {
  const auto parse = [](const char* text) { return IpAddress::parse(text).value(); };
  return {{parse("10.0.0.2"), parse("169.254.1.1")},
          {parse("2001:db8::2"), parse("fe80::ecee:eeff:feee:eeee")}};
}

Result<PodKernel, std::string> PodKernel::make() {
  auto pod = NetworkNamespace::make();
  auto host = kernel::make_silent_namespace();
  if (!pod || !host) return fail(!pod ? pod.error() : host.error());
  PodKernel made(std::move(*pod), std::move(*host));
  if (auto done = made.set_up(); !done) return fail(done.error());
  return made;
}

Result<void, std::string> PodKernel::set_up() {
  if (auto done = run_commands(pod_commands(), pod_, host_); !done) return done;
  const std::array up{Command{Program::Ip, "link set port up"}};
  if (auto done = run_commands(up, host_, host_); !done) return done;
  if (auto done = kernel::make_ready(pod_, "eth0"); !done) return done;
  if (auto done = kernel::make_ready(host_, "port"); !done) return done;
  port_ = open_port(host_);
  socket_ = open_socket(pod_);
  if (!port_.is_open() || !socket_.is_open()) return fail(kernel::system_error("socket"));
  return {};
}

bool PodKernel::transmit(std::span<const std::uint8_t> frame) const {
  return send(port_.get(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
}

std::optional<std::vector<std::uint8_t>> PodKernel::receive() const {
  std::vector<std::uint8_t> frame(2048);
  const ssize_t count = recv(port_.get(), frame.data(), frame.size(), 0);
  if (count < 0) return std::nullopt;
  frame.resize(static_cast<std::size_t>(count));
  return frame;
}

bool PodKernel::sends_datagram(const IpAddress& to) const {
  const sockaddr_in6 address = socket_address(to);
  return sendto(socket_.get(), "", 0, 0, reinterpret_cast<const sockaddr*>(&address),
                sizeof address) == 0;
}

bool PodKernel::takes_datagram() const {
  return recv(socket_.get(), nullptr, 0, 0) >= 0;
}

Result<void, std::string> PodKernel::ip(const std::string& arguments) const {
  const std::array command{Command{Program::Ip, arguments}};
  return run_commands(command, pod_, host_);
}

std::optional<std::uint32_t> PodKernel::path_mtu(const IpAddress& to) const {
  const Inside inside(pod_);
  const auto exit = kernel::run_program({"ip", "-oneline", "route", "get", to.to_string()}, "");
  if (!exit) return std::nullopt;
  const std::size_t at = exit->output.find(" mtu ");
  if (exit->code != 0 || at == std::string::npos) return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(exit->output.substr(at + 5)));
}

}  // namespace overlane::conformance::testing
