#include "dataplane/kernel/set_up/run_commands.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/set_up.h"

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

namespace {

using Outcome = Result<void, std::string>;
using Batch = std::span<const Command>;

Outcome write_sysctls(Batch batch) {
  for (const Command& command : batch) {
    const std::size_t equals = command.arguments.find('=');
    const std::string path = "/proc/sys/" + command.arguments.substr(0, equals);
    std::ofstream file(path);
    file << command.arguments.substr(equals + 1) << std::flush;
    if (!file) return fail(fmt::format("{}: cannot be set", to_string(command)));
  }
  return {};
}

/// The line number in a program's message, from 1, as in "Command failed -:3" (iproute2) or "line 3
/// failed" (iptables-restore). 0 if there is none.
std::size_t failed_line(const std::string& message) {
  for (const std::string_view mark : {"Command failed -:", "line "}) {
    const std::size_t at = message.find(mark);
    if (at == std::string::npos) continue;
    std::size_t line = 0;
    const char* begin = message.data() + at + mark.size();
    std::from_chars(begin, message.data() + message.size(), line);
    return line;
  }
  return 0;
}

Outcome failure(const Exit& exit, const std::vector<std::string>& lines, std::string_view program) {
  std::string output = exit.output;
  std::ranges::replace(output, '\n', ' ');
  const std::size_t line = failed_line(exit.output);
  const std::string what = line > 0 && line <= lines.size() ? lines[line - 1] : "";
  return fail(fmt::format("{} {}: {}", program, what, output));
}

Outcome run_batch(const std::vector<std::string>& program, const std::vector<std::string>& lines,
                  std::string_view name, int world) {
  const Parsed<Exit> exit =
      run_program(program, fmt::format("{}\n", fmt::join(lines, "\n")), {world});
  if (!exit) return fail(exit.error());
  return exit->code == 0 ? Outcome{} : failure(*exit, lines, name);
}

Outcome run_iproute(Batch batch, int world) {
  // `ip` accepts a path instead of a namespace's name (iproute2 lib/namespace.c, netns_get_fd).
  const std::string by_name = fmt::format("netns {}", kWorld);
  std::vector<std::string> lines;
  for (const Command& command : batch) {
    std::string line = command.arguments;
    const std::size_t at = line.find(by_name);
    if (at != std::string::npos) {
      line.replace(at, by_name.size(), fmt::format("netns /proc/self/fd/{}", world));
    }
    lines.push_back(std::move(line));
  }
  const std::string name(to_string(batch.front().program));
  return run_batch({name, "-batch", "-"}, lines, name, world);
}

/// Runs all tables of one program in one iptables-restore.
Outcome run_filters(Batch batch, int world) {
  std::map<std::string, std::vector<std::string>> tables;
  for (const Command& command : batch)
    tables[command.table].push_back(command.arguments);
  std::vector<std::string> lines;
  for (const auto& [table, rules] : tables) {
    lines.push_back("*" + table);
    lines.insert(lines.end(), rules.begin(), rules.end());
    lines.push_back("COMMIT");
  }
  const std::string name(to_string(batch.front().program));
  return run_batch({name + "-restore", "--noflush"}, lines, name, world);
}

Outcome run(Batch batch, int world) {
  switch (batch.front().program) {
    case Program::Ip:
    case Program::Bridge:
      return run_iproute(batch, world);
    case Program::Sysctl:
      return write_sysctls(batch);
    case Program::Iptables:
    case Program::Ip6tables:
      return run_filters(batch, world);
  }
  return {};
}

}  // namespace

Result<void, std::string> run_commands(std::span<const Command> commands,
                                       const NetworkNamespace& node,
                                       const NetworkNamespace& world) {
  const Inside inside(node);
  while (!commands.empty()) {
    const Program program = commands.front().program;
    const auto end = std::ranges::find_if(
        commands, [=](const Command& command) { return command.program != program; });
    const auto count = static_cast<std::size_t>(std::distance(commands.begin(), end));
    if (auto done = run(commands.first(count), world.fd()); !done) return done;
    commands = commands.subspan(count);
  }
  return {};
}

Parsed<NetworkNamespace> make_silent_namespace() {
  auto made = NetworkNamespace::make();
  if (!made) return fail(made.error());
  const std::vector<Command> silence = {{Program::Sysctl, "net/ipv6/conf/all/disable_ipv6=1"},
                                        {Program::Sysctl, "net/ipv6/conf/default/disable_ipv6=1"}};
  if (auto done = run_commands(silence, *made, *made); !done) return fail(done.error());
  return made;
}

}  // namespace overlane::kernel
