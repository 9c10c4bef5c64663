#include "dataplane/kernel/set_up/command.h"

#include <fmt/format.h>

namespace overlane::kernel {

std::string_view to_string(Program program) {
  switch (program) {
    case Program::Ip:
      return "ip";
    case Program::Bridge:
      return "bridge";
    case Program::Sysctl:
      return "sysctl -w";
    case Program::Iptables:
      return "iptables-legacy";
    case Program::Ip6tables:
      return "ip6tables-legacy";
  }
  return "";
}

std::string to_string(const Command& command) {
  const std::string table = command.table.empty() ? "" : " -t " + command.table;
  return fmt::format("{}{} {}", to_string(command.program), table, command.arguments);
}

std::string to_string(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands)
    text += to_string(command) + '\n';
  return text;
}

}  // namespace overlane::kernel
