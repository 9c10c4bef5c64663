#include "dataplane/kernel/agent/protocol/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::agent {
namespace {

using kernel::OwnedFd;
using kernel::system_error;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long a wait lasts before it asks whether it is over.
constexpr milliseconds kStep{50};

/// Waits until the socket is ready for `events`, or has failed.
Result<void, std::string> wait_for(const OwnedFd& socket, short events, Clock::time_point until,
                                   milliseconds patience, const IsOver& is_over) {
  while (true) {
    if (is_over && is_over()) return fail("stopped");
    pollfd ready{.fd = socket.get(), .events = events, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(kStep.count())) > 0) return {};
    if (Clock::now() >= until)
      return fail(
          fmt::format("no answer for {:g} s", std::chrono::duration<double>(patience).count()));
  }
}

IpAddress address_in(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &storage, sizeof in);
    return Ipv4Address{ntohl(in.sin_addr.s_addr)};
  }
  sockaddr_in6 in;
  std::memcpy(&in, &storage, sizeof in);
  if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, in.sin6_addr.s6_addr + 12, sizeof bits);
    return Ipv4Address{ntohl(bits)};
  }
  Ipv6Address address;
  std::ranges::copy(in.sin6_addr.s6_addr, address.bytes.begin());
  return address;
}

std::uint16_t port_in(const sockaddr_storage& storage) {
  // Both families have it in the same place.
  sockaddr_in in;
  std::memcpy(&in, &storage, sizeof in);
  return ntohs(in.sin_port);
}

using Name = int (*)(int, sockaddr*, socklen_t*);
Parsed<sockaddr_storage> name_of(int fd, Name ask) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (ask(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0)
    return fail(system_error("socket address"));
  return storage;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Parsed<Addresses> resolve(const Endpoint& endpoint, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list);
  if (error != 0) return fail(fmt::format("{}: {}", endpoint.to_string(), gai_strerror(error)));
  return Addresses(list);
}

OwnedFd socket_for(const addrinfo& address) {
  return OwnedFd(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

Channel::Channel(OwnedFd socket) : socket_(std::move(socket)) {
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (const auto peer = name_of(socket_.get(), getpeername))
    peer_ = fmt::format("{} port {}", address_in(*peer).to_string(), port_in(*peer));
}

Result<void, std::string> Channel::write(std::string_view line, milliseconds patience,
                                         const IsOver& is_over) {
  std::string text(line);
  text += '\n';
  const auto until = Clock::now() + patience;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto ready = wait_for(socket_, POLLOUT, until, patience, is_over); !ready) return ready;
    } else if (errno != EINTR) {
      return fail(system_error("the connection ended"));
    }
  }
  return {};
}

Parsed<std::string> Channel::read(std::size_t most, milliseconds patience, const IsOver& is_over) {
  const auto until = Clock::now() + patience;
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = received_.find('\n', searched);
    if (std::min(end, received_.size()) > most)
      return fail(fmt::format("a message of more than {} bytes", most));
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    std::array<char, 16384> buffer;
    const ssize_t count = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(count));
      // One who sends a byte now and then is not waited for without end either.
      if (Clock::now() < until) continue;
      return fail("a message was not complete in time");
    }
    if (count == 0) return fail("the connection ended");
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return fail(system_error("the connection ended"));
    if (auto ready = wait_for(socket_, POLLIN, until, patience, is_over); !ready)
      return fail(ready.error());
  }
}

bool Channel::is_closed() const {
  pollfd now{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
  return poll(&now, 1, 0) > 0 && (now.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

Parsed<IpAddress> Channel::own_address() const {
  const auto own = name_of(socket_.get(), getsockname);
  if (!own) return fail(own.error());
  return address_in(*own);
}

Parsed<Endpoint> Endpoint::parse(std::string_view text) {
  const auto wrong = [&] {
    return fail(
        fmt::format("\"{}\" is not ADDRESS:PORT, as in 192.0.2.1:7411 or "
                    "[2001:db8::1]:7411",
                    text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong();
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return wrong();
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();
  }
  Endpoint endpoint{.host = std::string(host)};
  const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (error != std::errc() || rest != port.data() + port.size()) return wrong();
  return endpoint;
}

std::string Endpoint::to_string() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Parsed<OwnedFd> listen_at(const Endpoint& endpoint) {
  const auto addresses = resolve(endpoint, AI_PASSIVE);
  if (!addresses) return fail(addresses.error());
  OwnedFd fd = socket_for(**addresses);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  constexpr int kBacklog = 16;
  if (!fd.is_open() || bind(fd.get(), (*addresses)->ai_addr, (*addresses)->ai_addrlen) != 0 ||
      listen(fd.get(), kBacklog) != 0)
    return fail(system_error(endpoint.to_string()));
  return fd;
}

Parsed<std::uint16_t> port_of(const OwnedFd& socket) {
  const auto own = name_of(socket.get(), getsockname);
  if (!own) return fail(own.error());
  return port_in(*own);
}

Parsed<Channel> connect_to(const Endpoint& endpoint, milliseconds patience, const IsOver& is_over) {
  const auto addresses = resolve(endpoint, 0);
  if (!addresses) return fail(addresses.error());
  std::string problem;
  for (const addrinfo* one = addresses->get(); one != nullptr; one = one->ai_next) {
    OwnedFd fd = socket_for(*one);
    if (!fd.is_open() ||
        (connect(fd.get(), one->ai_addr, one->ai_addrlen) != 0 && errno != EINPROGRESS)) {
      problem = system_error("cannot connect");
      continue;
    }
    const auto ready = wait_for(fd, POLLOUT, Clock::now() + patience, patience, is_over);
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (ready && error == 0) return Channel(std::move(fd));
    errno = error;
    problem = ready ? system_error("cannot connect") : ready.error();
  }
  return fail(problem);
}

}  // namespace overlane::agent
