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

// Command lines of the programs that configure a namespace, as values, and their execution in a
// node's namespace.

/// The programs that configure a namespace. Packet filters use the legacy (xtables) programs,
/// because Debian's user-mode Linux lacks nf_tables' IPv4 chains; both places support xtables.
enum class Program : std::uint8_t { Ip, Bridge, Sysctl, Iptables, Ip6tables };

std::string_view to_string(Program program);

/// One command line.
struct Command {
  Program program = Program::Ip;
  /// All words after the program's name and the table. For Sysctl: "net/ipv4/ip_forward=1".
  std::string arguments;
  std::string table;  ///< Packet filters only: "raw", "filter".

  auto operator<=>(const Command&) const = default;
};

/// The command line as a user would type it in the node's namespace: "ip link set tunl0 mtu 1480
/// up".
std::string to_string(const Command& command);

/// The commands, one per line.
std::string to_string(const std::vector<Command>& commands);

/// Runs the commands in order inside `node`, with as few processes as possible: consecutive
/// commands of one program become one batch, and sysctls are written directly. "netns world" in a
/// command refers to `world`. Stops at the first command that fails; the error contains its line
/// and the program's message.
Result<void, std::string> run_commands(std::span<const Command> commands,
                                       const NetworkNamespace& node, const NetworkNamespace& world);

/// Makes a namespace without IPv6, whose own messages (Neighbour Discovery) would reach the nodes.
Parsed<NetworkNamespace> make_silent_namespace();

}  // namespace overlane::kernel
