#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::kernel {

/// The programs that shape a namespace. Packet filters go through the legacy (xtables) programs:
/// Debian's user-mode Linux lacks nf_tables' IPv4 chains, and both places have these.
enum class Program : std::uint8_t { Ip, Bridge, Sysctl, Iptables, Ip6tables };

std::string_view to_string(Program program);

/// One command line.
struct Command {
  Program program = Program::Ip;
  /// Everything behind the program's name (and the table). Sysctl: "net/ipv4/ip_forward=1".
  std::string arguments;
  std::string table;  ///< Packet filters only: "raw", "filter".

  auto operator<=>(const Command&) const = default;
};

/// The line as one would type it in the node's namespace: "ip link set tunl0 mtu 1480 up".
std::string to_string(const Command& command);

/// One line each.
std::string to_string(const std::vector<Command>& commands);

}  // namespace overlane::kernel
