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
#include <sodium.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::agent {

using kernel::OwnedFd;
using kernel::system_error;
using std::chrono::milliseconds;

namespace {

/// Separates these proofs from other uses of the same secret, and from other versions.
constexpr std::string_view kPurpose = "overlane testbed agent 1";

std::string_view to_string(Role role) {
  return role == Role::Client ? "client" : "agent";
}

Parsed<std::string> read_all(int fd, std::size_t most) {
  std::string text;
  char buffer[1024];
  while (text.size() <= most) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(std::string(std::strerror(errno)));
    if (count == 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

using Clock = std::chrono::steady_clock;

/// Interval at which a wait checks whether it is over.
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
  // Both families have the port at the same offset.
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

Parsed<Bytes32> make_nonce() {
  if (sodium_init() < 0) return fail("the system has no random numbers");
  Bytes32 nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

std::string hex(const Bytes32& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

Parsed<Bytes32> from_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Bytes32 bytes;
  if (text.size() != 2 * bytes.size() || text.find_first_not_of(kDigits) != std::string_view::npos)
    return fail(fmt::format("not {} hexadecimal digits", 2 * bytes.size()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] =
        static_cast<std::uint8_t>(kDigits.find(text[2 * i]) * 16 + kDigits.find(text[2 * i + 1]));
  return bytes;
}

Parsed<Token> Token::of(std::string secret) {
  if (secret.empty()) return fail("the token is empty");
  if (secret.size() < kMinBytes)
    return fail(fmt::format("the token has {} bytes, less than {}", secret.size(), kMinBytes));
  if (secret.size() > kMaxBytes)
    return fail(fmt::format("the token has more than {} bytes", kMaxBytes));
  return Token(std::move(secret));
}

Parsed<Token> Token::read(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) {
    return fail(fmt::format("{}: {}", file.string(), what));
  };
  const kernel::OwnedFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!fd.is_open() || fstat(fd.get(), &facts) != 0) return wrong(std::strerror(errno));
  if ((facts.st_mode & S_IROTH) != 0)
    return wrong("every user of this machine may read it; chmod 600");
  auto text = read_all(fd.get(), kMaxBytes + 1);
  if (!text) return wrong(text.error());
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  auto token = of(*std::move(text));
  return token ? std::move(token) : Parsed<Token>(wrong(token.error()));
}

Bytes32 Token::proof(Role role, const Challenge& challenge) const {
  std::string message = fmt::format("{}\n{}\n", kPurpose, to_string(role));
  for (const Bytes32& nonce : {challenge.agent_nonce, challenge.client_nonce})
    message.append(nonce.begin(), nonce.end());
  static_assert(std::tuple_size_v<Bytes32> == crypto_auth_hmacsha256_BYTES);
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  Bytes32 proof{};
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes(secret_), secret_.size());
  crypto_auth_hmacsha256_update(&state, bytes(message), message.size());
  crypto_auth_hmacsha256_final(&state, proof.data());
  return proof;
}

bool Token::accepts(const Bytes32& given, Role role, const Challenge& challenge) const {
  const Bytes32 right = proof(role, challenge);
  return sodium_memcmp(given.data(), right.data(), right.size()) == 0;
}

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
      // Also limits the time for a peer that sends single bytes slowly.
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
