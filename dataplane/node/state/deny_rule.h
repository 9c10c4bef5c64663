#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace overlane::node {

/// What a packet filter in the fabric drops, between any two instances and whichever way: the
/// "deny" of a network ACL (AWS), of a firewall rule (GCP), of a network security group (Azure).
/// Judged by the outermost header, without a memory of connections. What answers the fabric itself
/// sends (ICMP) pass it, too.
struct DenyRule {
  std::uint8_t protocol = 0;  ///< IP protocol number.
  /// Destination port of TCP or UDP; nothing: all, and later fragments, which show none.
  std::optional<std::uint16_t> port;
  /// Of an ICMP message; nothing: all, and later fragments.
  std::optional<std::uint8_t> icmp_type;
  std::optional<std::uint8_t> icmp_code;
  bool disabled = false;  ///< It stands there and drops nothing, as a firewall rule of GCP can.

  auto operator<=>(const DenyRule&) const = default;
};

/// "deny icmp type 3 code 4", "deny udp port 4789", "deny protocol 50".
std::string to_string(const DenyRule& rule);

}  // namespace overlane::node
