#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"

namespace overlane::node {

/// A packet's pieces on the way to one again.
struct ReassemblyKey {
  Ipv4Address source;
  Ipv4Address destination;
  std::uint16_t identification = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const ReassemblyKey&) const = default;
};

/// Linux's net.ipv4.ipfrag_time.
inline constexpr Picos kReassemblyTimeout = seconds(30);
/// net.ipv4.route.mtu_expires.
inline constexpr Picos kPathMtuExpiry = seconds(600);

}  // namespace overlane::node
