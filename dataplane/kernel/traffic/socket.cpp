#include "dataplane/kernel/traffic/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/time.h>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::kernel {
namespace {

/// An address and a port as the kernel takes them.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  SocketAddress(const IpAddress& address, std::uint16_t port) {
    if (address.is_ipv4()) {
      sockaddr_in in{};
      in.sin_family = AF_INET;
      in.sin_port = htons(port);
      in.sin_addr.s_addr = htonl(address.ipv4().bits);
      keep(in);
    } else {
      sockaddr_in6 in{};
      in.sin6_family = AF_INET6;
      in.sin6_port = htons(port);
      const Ipv6Address ipv6 = address.ipv6();
      std::ranges::copy(ipv6.bytes, in.sin6_addr.s6_addr);
      keep(in);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }

 private:
  template <typename In>
  void keep(const In& in) {
    std::memcpy(&storage, &in, sizeof in);
    length = sizeof in;
  }
};

int family_of(const IpAddress& address) {
  return address.is_ipv4() ? AF_INET : AF_INET6;
}

void set_waits(int fd) {
  const timeval wait{.tv_sec = 0, .tv_usec = std::chrono::microseconds(kSocketWait).count()};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

OwnedFd make_socket(const FlowEnd& end, bool udp, int flags = 0) {
  const auto open = [&] {
    return OwnedFd(
        socket(family_of(end.address), (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | flags, 0));
  };
  if (end.place == nullptr) return open();
  const Inside inside(*end.place);
  return open();
}

std::string text_of(const FlowEnd& end, std::uint16_t port) {
  return fmt::format("{} port {}", end.address.to_string(), port);
}

}  // namespace

bool has_merely_waited() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNREFUSED ||
         errno == ENOBUFS;
}

Parsed<OwnedFd> open_server(const FlowEnd& end, std::uint16_t port, bool udp) {
  OwnedFd fd = make_socket(end, udp);
  if (!fd.is_open()) return fail(system_error("socket"));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  set_waits(fd.get());
  const SocketAddress address(end.address, port);
  if (bind(fd.get(), address.get(), address.length) != 0 ||
      (!udp && listen(fd.get(), SOMAXCONN) != 0))
    return fail(system_error("server at " + text_of(end, port)));
  return fd;
}

Parsed<OwnedFd> open_client(const FlowEnd& client, const FlowEnd& server, std::uint16_t port,
                            bool udp, std::chrono::milliseconds patience) {
  OwnedFd fd = make_socket(client, udp, SOCK_NONBLOCK);
  if (!fd.is_open()) return fail(system_error("socket"));
  set_waits(fd.get());
  const SocketAddress own(client.address, 0), far(server.address, port);
  if (bind(fd.get(), own.get(), own.length) != 0)
    return fail(system_error("client at " + text_of(client, 0)));
  if (connect(fd.get(), far.get(), far.length) != 0 && errno != EINPROGRESS)
    return fail(system_error("connecting to " + text_of(server, port)));
  pollfd ready{.fd = fd.get(), .events = POLLOUT, .revents = 0};
  const int count = udp ? 1 : poll(&ready, 1, static_cast<int>(patience.count()));
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  errno = count == 0 ? ETIMEDOUT : error;
  if (errno != 0) return fail(system_error("connecting to " + text_of(server, port)));
  // From here on it waits, as long as its options say.
  const int flags = fcntl(fd.get(), F_GETFL);
  fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK);
  if (!udp) set_no_delay(fd.get());
  return fd;
}

std::optional<OwnedFd> accept_one(int listener) {
  OwnedFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd.is_open()) return std::nullopt;
  set_waits(fd.get());
  set_no_delay(fd.get());
  return fd;
}

Io send_all(int fd, std::span<const std::uint8_t> bytes, std::size_t& done) {
  while (done < bytes.size()) {
    const ssize_t count = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count < 0) return has_merely_waited() ? Io::Waited : Io::Ended;
    done += static_cast<std::size_t>(count);
  }
  return Io::Done;
}

Io receive_all(int fd, std::span<std::uint8_t> bytes, std::size_t& done) {
  while (done < bytes.size()) {
    const ssize_t count = recv(fd, bytes.data() + done, bytes.size() - done, 0);
    if (count == 0) return Io::Ended;
    if (count < 0) return has_merely_waited() ? Io::Waited : Io::Ended;
    done += static_cast<std::size_t>(count);
  }
  return Io::Done;
}

}  // namespace overlane::kernel
