#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::fastpath {

/// Sends raw frames on an interface (packet(7)).
class FrameSocket {
 public:
  static Parsed<FrameSocket> open(const kernel::NetworkNamespace& place,
                                  const std::string& interface);

  /// False if the interface refuses it: too large, or its queue is full.
  bool send(std::span<const std::uint8_t> frame) const;

 private:
  explicit FrameSocket(kernel::OwnedFd fd) : fd_(std::move(fd)) {}

  kernel::OwnedFd fd_;
};

/// Whether a frame contains VXLAN (RFC 7348) in IPv4, including its header.
bool is_vxlan(std::span<const std::uint8_t> frame);

/// An ICMP error to the sender of `frame`: the MTU of the next link is `mtu`.
std::vector<std::uint8_t> too_large(std::span<const std::uint8_t> frame, std::uint16_t mtu);

}  // namespace overlane::fastpath
