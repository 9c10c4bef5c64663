#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dataplane/kernel/namespaces/owned_fd.h"
#include "tools/fastpath/testing/echo.h"
#include "tools/fastpath/testing/program.h"

namespace overlane::fastpath {

/// UDP to an Echo.
class Datagrams {
 public:
  static Parsed<Datagrams> open(const kernel::NetworkNamespace& from, const std::string& to, Df df);

  /// Sends `size` bytes and waits for them. Empty when they came back as they went, else what
  /// happened instead. Sends once.
  std::string exchange(std::size_t size);
  /// The same with all of them on their way at once; they may come back in any order.
  std::string exchange_together(std::span<const std::size_t> sizes);
  /// The same, and they come back in the order in which they went.
  std::string exchange_in_order(std::span<const std::size_t> sizes);
  /// Only sends: the error's text, or nothing.
  std::string send(std::size_t size);
  /// The next datagram that comes back in time; empty when none does.
  std::vector<std::uint8_t> receive(std::chrono::milliseconds limit = kPatience);
  /// What the kernel believes the path to carry (IP_MTU, IPV6_MTU).
  std::uint32_t mtu() const;

 private:
  Datagrams(kernel::OwnedFd fd, bool is_ipv6) : fd_(std::move(fd)), is_ipv6_(is_ipv6) {}

  kernel::OwnedFd fd_;
  bool is_ipv6_;
  std::uint32_t salt_ = 0;
};

/// Payload sizes up to what fits into a packet of `mtu` behind `headers` bytes.
std::vector<std::size_t> fitting(std::size_t mtu, std::size_t headers);
/// And beyond, up to the largest that IP carries.
std::vector<std::size_t> beyond(std::size_t mtu, std::size_t headers);

/// One TCP connection to an Echo over which blocks of these sizes go, each of them back before the
/// next is sent. Empty, or what happened instead.
std::string exchange_streams(const kernel::NetworkNamespace& from, const std::string& to,
                             std::span<const std::size_t> sizes);

/// ICMP echoes of these payload sizes, answered by the kernel at `to`. Empty, or what happened.
std::string exchange_pings(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                           std::span<const std::size_t> sizes);

/// UDP of these payload sizes to an Echo, one after another. Empty, or what happened.
std::string exchange_datagrams(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                               std::span<const std::size_t> sizes);

/// All three in all sizes around an MTU, whole and in fragments. A line for each that went wrong.
std::string exchange_all_sizes(const kernel::NetworkNamespace& from, const std::string& to,
                               std::size_t mtu);

}  // namespace overlane::fastpath
