#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dataplane/kernel/owned_fd.h"
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
  /// Only sends: the error's text, or nothing.
  std::string send(std::size_t size);
  /// The next datagram that comes back in time; empty when none does.
  std::vector<std::uint8_t> receive(std::chrono::milliseconds limit = kPatience);
  /// What the kernel believes the path to carry (IP_MTU).
  std::uint32_t mtu() const;

 private:
  explicit Datagrams(kernel::OwnedFd fd) : fd_(std::move(fd)) {}

  kernel::OwnedFd fd_;
  std::uint32_t salt_ = 0;
};

/// Payload sizes up to what fits into a packet of `mtu` behind `headers` bytes.
std::vector<std::size_t> fitting(std::size_t mtu, std::size_t headers);
/// And beyond, up to the largest that IPv4 carries.
std::vector<std::size_t> beyond(std::size_t mtu, std::size_t headers);

/// One TCP connection to an Echo over which blocks of these sizes go, each of them back before the
/// next is sent. Empty, or what happened instead.
std::string exchange_streams(const kernel::NetworkNamespace& from, const std::string& to,
                             std::span<const std::size_t> sizes);

/// ICMP echoes of these payload sizes, answered by the kernel at `to`. Empty, or what happened.
std::string exchange_pings(const kernel::NetworkNamespace& from, const std::string& to, Df df,
                           std::span<const std::size_t> sizes);

}  // namespace overlane::fastpath
