#include "tools/fastpath/testing/exchange.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <set>
#include <sys/socket.h>

#include <fmt/format.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/icmp.h"

namespace overlane::fastpath {
namespace {

using Bytes = std::vector<std::uint8_t>;
using kernel::OwnedFd;
constexpr std::size_t kLargest = 1 << 17;

/// A socket connected to the address; invalid on failure.
OwnedFd connected(const kernel::NetworkNamespace& from, int type, int protocol,
                  const SocketAddress& to, Df df) {
  const kernel::Inside inside(from);
  OwnedFd fd(socket(to.family(), type | SOCK_CLOEXEC, protocol));
  const int bytes = 16 << 20;
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
  set_df(fd.get(), to, df);
  return connect(fd.get(), to.get(), to.size()) == 0 ? std::move(fd) : OwnedFd();
}

bool wait_for(int fd, short events, std::chrono::milliseconds limit = kPatience) {
  pollfd waiting{fd, events, 0};
  return poll(&waiting, 1, static_cast<int>(limit.count())) > 0;
}

/// How the received bytes differ from `expected`; empty if they are equal.
std::string difference(const Bytes& expected, std::span<const std::uint8_t> came) {
  if (came.empty()) return fmt::format("{} bytes went, nothing came", expected.size());
  if (std::ranges::equal(expected, came)) return "";
  const auto [at, _] = std::ranges::mismatch(expected, came);
  return fmt::format("{} bytes went, {} came, which differ at {}", expected.size(), came.size(),
                     at - expected.begin());
}

/// Sends one block of a stream and receives it back.
std::string exchange_block(int fd, const Bytes& block) {
  Bytes came(block.size());
  std::size_t sent = 0;
  std::size_t received = 0;
  while (received < block.size()) {
    const bool more = sent < block.size();
    if (!wait_for(fd, more ? POLLIN | POLLOUT : POLLIN)) break;
    if (more) {
      const ssize_t count =
          send(fd, block.data() + sent, block.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    const ssize_t count = recv(fd, came.data() + received, came.size() - received, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) break;
    if (count > 0) received += static_cast<std::size_t>(count);
  }
  return difference(block, std::span(came).first(received));
}

/// The form in which a raw socket receives ICMP echoes of a family.
struct EchoFormat {
  int protocol;
  std::uint8_t request;
  std::uint8_t reply;
  std::size_t ip_bytes;  ///< Length of the IP header in front of the message.
};
constexpr EchoFormat kIcmpFormat{IPPROTO_ICMP, wire::kIcmpEcho, wire::kIcmpEchoReply, 20};
/// The kernel computes checksums and removes the IP header (RFC 3542, sections 3 and 3.1).
constexpr std::uint8_t kIcmpv6EchoRequest = 128;  // RFC 4443, section 4.1
constexpr EchoFormat kIcmpv6Format{IPPROTO_ICMPV6, kIcmpv6EchoRequest, wire::kIcmpv6EchoReply, 0};

Bytes echo_request(const EchoFormat& format, std::uint16_t sequence, std::size_t size) {
  Bytes message = pattern(8 + size, sequence);
  message[0] = format.request;
  message[1] = 0;
  store_be16(message.data() + 2, 0);
  store_be16(message.data() + 6, sequence);
  store_be16(message.data() + 2, internet_checksum(message));
  return message;
}

/// The answer to `request` without type, code and checksum; empty if there is none.
Bytes echo_answer(int fd, const EchoFormat& format, const Bytes& request) {
  Bytes packet(kLargest);
  while (wait_for(fd, POLLIN)) {
    const ssize_t count = recv(fd, packet.data(), packet.size(), MSG_DONTWAIT);
    if (count < static_cast<ssize_t>(format.ip_bytes + 8)) continue;
    const auto message = std::span(packet).first(static_cast<std::size_t>(count));
    const auto echoed = message.subspan(format.ip_bytes + 4);
    const bool is_answer =
        message[format.ip_bytes] == format.reply && std::equal(&echoed[0], &echoed[4], &request[4]);
    if (is_answer) return {echoed.begin(), echoed.end()};
  }
  return {};
}

}  // namespace

Parsed<Datagrams> Datagrams::open(const kernel::NetworkNamespace& from, const std::string& to,
                                  Df df) {
  const std::uint16_t port = df == Df::Set ? Echo::kEchoDfPort : Echo::kEchoPort;
  const SocketAddress address(to, port);
  OwnedFd fd = connected(from, SOCK_DGRAM, 0, address, df);
  if (!fd.is_open()) return fail(kernel::system_error(to));
  return Datagrams(std::move(fd), address.is_ipv6());
}

std::string Datagrams::send(std::size_t size) {
  const Bytes bytes = pattern(size, ++salt_);
  return ::send(fd_.get(), bytes.data(), size, 0) < 0 ? std::strerror(errno) : "";
}

Bytes Datagrams::receive(std::chrono::milliseconds limit) {
  Bytes bytes(kLargest);
  if (!wait_for(fd_.get(), POLLIN, limit)) return {};
  const ssize_t count = recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return bytes;
}

std::string Datagrams::exchange(std::size_t size) {
  if (const std::string error = send(size); !error.empty()) return error;
  return difference(pattern(size, salt_), receive());
}

std::string Datagrams::exchange_together(std::span<const std::size_t> sizes) {
  std::multiset<Bytes> on_their_way;
  for (const std::size_t size : sizes) {
    if (const std::string error = send(size); !error.empty()) return error;
    on_their_way.insert(pattern(size, salt_));
  }
  while (!on_their_way.empty()) {
    const Bytes came = receive();
    if (came.empty()) return fmt::format("{} of {} are lost", on_their_way.size(), sizes.size());
    if (on_their_way.erase(came) != 1) return fmt::format("{} bytes nobody sent", came.size());
  }
  return "";
}

std::string Datagrams::exchange_in_order(std::span<const std::size_t> sizes) {
  std::vector<Bytes> on_their_way;
  for (const std::size_t size : sizes) {
    if (const std::string error = send(size); !error.empty()) return error;
    on_their_way.push_back(pattern(size, salt_));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string wrong = difference(on_their_way[i], receive());
    if (!wrong.empty()) return fmt::format("number {} of {}: {}", i + 1, sizes.size(), wrong);
  }
  return "";
}

std::uint32_t Datagrams::mtu() const {
  int mtu = 0;
  socklen_t size = sizeof mtu;
  if (is_ipv6_) {
    getsockopt(fd_.get(), IPPROTO_IPV6, IPV6_MTU, &mtu, &size);
  } else {
    getsockopt(fd_.get(), IPPROTO_IP, IP_MTU, &mtu, &size);
  }
  return static_cast<std::uint32_t>(mtu);
}

std::vector<std::size_t> fitting(std::size_t mtu, std::size_t headers) {
  const std::size_t most = mtu - headers;
  return {1, 2, 17, 18, 19, 100, 511, 1000, most - 2, most - 1, most};
}

std::vector<std::size_t> beyond(std::size_t mtu, std::size_t headers) {
  const std::size_t most = mtu - headers;
  return {most + 1, most + 2, 1500, 2 * most, 4000, 9000, 20'000, 65'535 - headers};
}

std::string exchange_streams(const kernel::NetworkNamespace& from, const std::string& to,
                             std::span<const std::size_t> sizes) {
  const OwnedFd fd = connected(from, SOCK_STREAM, 0, SocketAddress(to, Echo::kEchoPort), Df::Set);
  if (!fd.is_open()) return kernel::system_error("connecting to " + to);
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::uint32_t salt = 0;
  for (const std::size_t size : sizes) {
    const std::string wrong = exchange_block(fd.get(), pattern(size, ++salt));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string exchange_pings(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                           std::span<const std::size_t> sizes) {
  const SocketAddress address(to, 0);
  const EchoFormat& format = address.is_ipv6() ? kIcmpv6Format : kIcmpFormat;
  const OwnedFd fd = connected(from, SOCK_RAW, format.protocol, address, df);
  if (!fd.is_open()) return kernel::system_error(to);
  std::uint16_t sequence = 0;
  for (const std::size_t size : sizes) {
    const Bytes request = echo_request(format, ++sequence, size);
    if (::send(fd.get(), request.data(), request.size(), 0) < 0) return std::strerror(errno);
    const Bytes expected(request.begin() + 4, request.end());
    const std::string wrong = difference(expected, echo_answer(fd.get(), format, request));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string exchange_datagrams(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                               std::span<const std::size_t> sizes) {
  auto datagrams = Datagrams::open(from, to, df);
  if (!datagrams) return datagrams.error();
  for (const std::size_t size : sizes) {
    const std::string wrong = datagrams->exchange(size);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string exchange_all_sizes(const kernel::NetworkNamespace& from, const std::string& to,
                               std::size_t mtu) {
  const std::size_t ip = SocketAddress(to, 0).is_ipv6() ? 40 : 20;
  std::string all;
  const auto note = [&](const char* what, const std::string& wrong) {
    if (!wrong.empty()) all += fmt::format("{} to {}: {}\n", what, to, wrong);
  };
  const auto whole = fitting(mtu, ip + 8);
  note("UDP with DF", exchange_datagrams(from, to, Df::Set, whole));
  note("ping with DF", exchange_pings(from, to, Df::Set, whole));
  for (const auto& sizes : {whole, beyond(mtu, ip + 8)}) {
    note("UDP", exchange_datagrams(from, to, Df::Clear, sizes));
    note("ping", exchange_pings(from, to, Df::Clear, sizes));
  }
  for (const auto& sizes :
       {fitting(mtu, ip + 20), beyond(mtu, ip + 20), std::vector<std::size_t>{3'000'000}})
    note("TCP", exchange_streams(from, to, sizes));
  return all;
}

}  // namespace overlane::fastpath
