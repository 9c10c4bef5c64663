#include "tools/fastpath/testing/echo.h"

#include <algorithm>
#include <arpa/inet.h>
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

SocketAddress::SocketAddress(const std::string& address, std::uint16_t port) {
  auto& ipv4 = reinterpret_cast<sockaddr_in&>(address_);
  auto& ipv6 = reinterpret_cast<sockaddr_in6&>(address_);
  if (inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(port);
    size_ = sizeof ipv4;
  } else {
    inet_pton(AF_INET6, address.c_str(), &ipv6.sin6_addr);
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(port);
    size_ = sizeof ipv6;
  }
}

void set_df(int socket, const SocketAddress& to, Df df) {
  if (to.is_ipv6()) {
    const int discovery = df == Df::Set ? IPV6_PMTUDISC_DO : IPV6_PMTUDISC_DONT;
    setsockopt(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discovery, sizeof discovery);
  } else {
    const int discovery = df == Df::Set ? IP_PMTUDISC_DO : IP_PMTUDISC_DONT;
    setsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &discovery, sizeof discovery);
  }
}

namespace {

using kernel::OwnedFd;

constexpr std::size_t kBuffer = 1 << 17;

/// A socket bound to `at`; invalid on failure.
OwnedFd bound(int type, const SocketAddress& at) {
  OwnedFd fd(socket(at.family(), type | SOCK_CLOEXEC, 0));
  const int on = 1;
  const int bytes = 16 << 20;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
  if (at.is_ipv6()) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return bind(fd.get(), at.get(), at.size()) == 0 ? std::move(fd) : OwnedFd();
}

bool send_all(int fd, const std::uint8_t* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Parsed<std::unique_ptr<Echo>> Echo::start() {
  std::vector<OwnedFd> datagrams;
  std::vector<OwnedFd> listeners;
  for (const char* any : {"0.0.0.0", "::"}) {
    for (const auto& [port, df] : {std::pair(kEchoPort, Df::Clear), {kEchoDfPort, Df::Set}}) {
      const SocketAddress at(any, port);
      OwnedFd fd = bound(SOCK_DGRAM, at);
      if (!fd.is_open()) return fail(kernel::system_error("echo of datagrams"));
      set_df(fd.get(), at, df);
      datagrams.push_back(std::move(fd));
    }
    OwnedFd fd = bound(SOCK_STREAM, SocketAddress(any, kEchoPort));
    if (!fd.is_open() || listen(fd.get(), 64) != 0) {
      return fail(kernel::system_error("echo of streams"));
    }
    listeners.push_back(std::move(fd));
  }
  return std::unique_ptr<Echo>(new Echo(std::move(datagrams), std::move(listeners)));
}

Parsed<std::unique_ptr<Echo>> Echo::start(const kernel::NetworkNamespace& place) {
  const kernel::Inside inside(place);
  return start();
}

Echo::Echo(std::vector<OwnedFd> datagrams, std::vector<OwnedFd> listeners)
    : datagrams_(std::move(datagrams)),
      listeners_(std::move(listeners)),
      buffer_(kBuffer),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Echo::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> waiting;
    for (const auto* sockets : {&datagrams_, &listeners_, &connections_})
      for (const OwnedFd& one : *sockets)
        waiting.push_back({one.get(), POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), 20) <= 0) continue;
    auto at = waiting.begin();
    for (const OwnedFd& socket : datagrams_)
      if (at++->revents != 0) echo_datagrams(socket.get());
    const auto listening = at;
    at += static_cast<std::ptrdiff_t>(listeners_.size());
    std::erase_if(connections_, [&](const OwnedFd& connection) {
      return at++->revents != 0 && !echo_stream(connection.get());
    });
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if (listening[static_cast<std::ptrdiff_t>(i)].revents == 0) continue;
      connections_.emplace_back(accept4(listeners_[i].get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
  }
}

void Echo::echo_datagrams(int socket) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  auto* where = reinterpret_cast<sockaddr*>(&from);
  const ssize_t count =
      recvfrom(socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT, where, &size);
  if (count >= 0) sendto(socket, buffer_.data(), static_cast<std::size_t>(count), 0, where, size);
}

bool Echo::echo_stream(int connection) {
  const ssize_t count = recv(connection, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN;
  return count > 0 && send_all(connection, buffer_.data(), static_cast<std::size_t>(count));
}

std::vector<std::uint8_t> pattern(std::size_t size, std::uint32_t salt) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t mixed = (i / 8 + salt) * 0x9e3779b97f4a7c15u;
    bytes[i] = static_cast<std::uint8_t>(mixed >> (i % 8 * 8));
  }
  return bytes;
}

namespace {

using Bytes = std::vector<std::uint8_t>;
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

/// Describes how the received bytes differ from `expected`; empty if they are equal.
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

/// Format of ICMP echoes in a raw socket of a family.
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

/// The echo reply to `request` without type, code and checksum; empty if none arrives.
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
