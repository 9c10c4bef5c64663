#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "tools/fastpath/testing/program.h"

namespace overlane::fastpath {

/// Whether DF is set; in IPv6, whether the sender may fragment.
enum class Df : std::uint8_t { Clear, Set };

/// A socket address: IP address and port.
class SocketAddress {
 public:
  /// From an IPv4 or IPv6 address.
  SocketAddress(const std::string& address, std::uint16_t port);

  bool is_ipv6() const { return family() == AF_INET6; }
  int family() const { return address_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_storage address_{};
  socklen_t size_ = 0;
};

/// Sets the socket option for the address family.
void set_df(int socket, const SocketAddress& to, Df df);

/// Echo server: UDP and TCP on kEchoPort, and UDP with DF on kEchoDfPort; IPv4 and IPv6.
class Echo {
 public:
  static constexpr std::uint16_t kEchoPort = 7007;
  static constexpr std::uint16_t kEchoDfPort = 7008;

  /// Starts in the calling thread's network namespace.
  static Parsed<std::unique_ptr<Echo>> start();
  static Parsed<std::unique_ptr<Echo>> start(const kernel::NetworkNamespace& place);

 private:
  Echo(std::vector<kernel::OwnedFd> datagrams, std::vector<kernel::OwnedFd> listeners);
  void run(const std::stop_token& stop);
  void echo_datagrams(int socket);
  bool echo_stream(int connection);

  std::vector<kernel::OwnedFd> datagrams_;
  std::vector<kernel::OwnedFd> listeners_;
  std::vector<kernel::OwnedFd> connections_;
  std::vector<std::uint8_t> buffer_;
  std::jthread thread_;
};

/// `size` bytes that depend on their offset and `salt`.
std::vector<std::uint8_t> pattern(std::size_t size, std::uint32_t salt);

/// A UDP socket connected to an Echo.
class Datagrams {
 public:
  static Parsed<Datagrams> open(const kernel::NetworkNamespace& from, const std::string& to, Df df);

  /// Sends `size` bytes once and waits for the echo. Returns the error, or an empty text.
  std::string exchange(std::size_t size);
  /// Exchanges datagrams that are all in flight at once and may return in any order.
  std::string exchange_together(std::span<const std::size_t> sizes);
  /// Exchanges datagrams that are all in flight at once and must return in order.
  std::string exchange_in_order(std::span<const std::size_t> sizes);
  /// Only sends; returns the error, or an empty text.
  std::string send(std::size_t size);
  /// The next datagram within the time limit, or empty.
  std::vector<std::uint8_t> receive(std::chrono::milliseconds limit = kPatience);
  /// The path MTU in the kernel (IP_MTU, IPV6_MTU).
  std::uint32_t mtu() const;

 private:
  Datagrams(kernel::OwnedFd fd, bool is_ipv6) : fd_(std::move(fd)), is_ipv6_(is_ipv6) {}

  kernel::OwnedFd fd_;
  bool is_ipv6_;
  std::uint32_t salt_ = 0;
};

/// Payload sizes up to the largest that fits a packet of `mtu` with `headers` bytes of headers.
std::vector<std::size_t> fitting(std::size_t mtu, std::size_t headers);
/// Larger payload sizes, up to the maximum of IP.
std::vector<std::size_t> beyond(std::size_t mtu, std::size_t headers);

/// Sends blocks of these sizes over one TCP connection to an Echo, each after the answer to the
/// previous one. Returns the error, or an empty text.
std::string exchange_streams(const kernel::NetworkNamespace& from, const std::string& to,
                             std::span<const std::size_t> sizes);

/// ICMP echoes of these payload sizes, answered by the kernel at `to`. Returns the error, or an
/// empty text.
std::string exchange_pings(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                           std::span<const std::size_t> sizes);

/// UDP of these payload sizes to an Echo, one after another. Returns the error, or an empty text.
std::string exchange_datagrams(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                               std::span<const std::size_t> sizes);

/// Streams, pings and datagrams of all sizes around an MTU, whole and in fragments. One line per
/// error.
std::string exchange_all_sizes(const kernel::NetworkNamespace& from, const std::string& to,
                               std::size_t mtu);

}  // namespace overlane::fastpath
