#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Command lines of the programs that shape a namespace, as values, and their execution in a
// node's namespace.

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

/// Runs the commands in order inside `node`, with as few processes as their order allows:
/// neighbours of one program become one batch, sysctls are written directly. "netns world" in them
/// means `world`. Stops at the first that fails; the message holds its line and what the program
/// said.
Result<void, std::string> run_commands(std::span<const Command> commands,
                                       const NetworkNamespace& node, const NetworkNamespace& world);

/// A namespace without IPv6, whose own chatter would reach the nodes beside it.
Parsed<NetworkNamespace> make_silent_namespace();

}  // namespace overlane::kernel
