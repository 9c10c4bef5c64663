#include "tools/fastpath/testing/echo.h"

#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace overlane::fastpath {
namespace {

using kernel::OwnedFd;

constexpr std::size_t kBuffer = 1 << 17;

/// A socket that waits at `port` on every address.
OwnedFd bound(int type, std::uint16_t port, int pmtu_discovery) {
  OwnedFd fd(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const int on = 1;
  const int bytes = 16 << 20;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
  setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &pmtu_discovery, sizeof pmtu_discovery);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  return bind(fd.get(), where, sizeof address) == 0 ? std::move(fd) : OwnedFd();
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
  OwnedFd clear = bound(SOCK_DGRAM, kEchoPort, IP_PMTUDISC_DONT);
  OwnedFd set = bound(SOCK_DGRAM, kEchoDfPort, IP_PMTUDISC_DO);
  OwnedFd listener = bound(SOCK_STREAM, kEchoPort, IP_PMTUDISC_WANT);
  if (!clear.is_open() || !set.is_open() || !listener.is_open() || listen(listener.get(), 8) != 0) {
    return fail(kernel::system_error("echo sockets"));
  }
  return std::unique_ptr<Echo>(new Echo(std::move(clear), std::move(set), std::move(listener)));
}

Parsed<std::unique_ptr<Echo>> Echo::start(const kernel::NetworkNamespace& place) {
  const kernel::Inside inside(place);
  return start();
}

Echo::Echo(OwnedFd clear, OwnedFd set, OwnedFd listener)
    : clear_(std::move(clear)),
      set_(std::move(set)),
      listener_(std::move(listener)),
      buffer_(kBuffer),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Echo::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> waiting = {
        {clear_.get(), POLLIN, 0}, {set_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const OwnedFd& connection : connections_)
      waiting.push_back({connection.get(), POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), 20) <= 0) continue;
    if (waiting[0].revents != 0) echo_datagrams(clear_.get());
    if (waiting[1].revents != 0) echo_datagrams(set_.get());
    for (std::size_t i = connections_.size(); i-- > 0;) {
      if (waiting[3 + i].revents != 0 && !echo_stream(connections_[i].get()))
        connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (waiting[2].revents != 0) {
      connections_.emplace_back(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
  }
}

void Echo::echo_datagrams(int socket) {
  sockaddr_in from{};
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
