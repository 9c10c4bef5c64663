#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dataplane/kernel/namespaces/process.h"
#include "tools/fastpath/testing/echo.h"
#include "tools/fastpath/testing/program.h"

namespace overlane::fastpath {

/// A UDP socket connected to an Echo.
class Datagrams {
 public:
  static Parsed<Datagrams> open(const kernel::NetworkNamespace& from, const std::string& to, Df df);

  /// Sends `size` bytes once and waits for the echo. Returns the error, or an empty text.
  std::string exchange(std::size_t size);
  /// The same with all datagrams in flight at once, in any order.
  std::string exchange_together(std::span<const std::size_t> sizes);
  /// The same, and they must return in order.
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
