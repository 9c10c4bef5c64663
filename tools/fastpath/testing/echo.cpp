#include "tools/fastpath/testing/echo.h"

#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace overlane::fastpath {
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

}  // namespace overlane::fastpath
