#include "dataplane/kernel/experiment/place.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <iterator>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/experiment/experiment_json.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::kernel {
namespace {

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

/// An ability, and a command that succeeds if the place has it. The fallback devices (tunl0, sit0,
/// ip6tnl0) appear with their module, which is loaded for the first device of the kind.
struct Trial {
  const char* name;
  Program program;
  const char* arguments;
  const char* table = "";
};

constexpr std::array kTrials = {
    Trial{"veth", Program::Ip, "link add eth0 type veth peer name eth0 netns world"},
    Trial{"vxlan", Program::Ip, "link add v0 type vxlan id 1 dstport 4789 local 192.0.2.1"},
    Trial{"ipip", Program::Ip, "link set tunl0 up"},
    Trial{"sit", Program::Ip, "link set sit0 up"},
    Trial{"ip6tnl", Program::Ip, "link set ip6tnl0 up"},
    Trial{"geneve", Program::Ip, "link add g0 type geneve id 1 remote 192.0.2.1"},
    Trial{"filter raw", Program::Iptables, "-A PREROUTING -j ACCEPT", "raw"},
    Trial{"filter rpfilter", Program::Iptables,
          "-A PREROUTING -i cali+ -m rpfilter --validmark --invert -j DROP", "raw"},
    Trial{"filter comment", Program::Iptables, "-A INPUT -m comment --comment x -j DROP", "filter"},
    Trial{"filter addrtype", Program::Iptables,
          "-A INPUT -p 4 -m addrtype --dst-type LOCAL -j ACCEPT", "filter"},
    Trial{"filter masquerade", Program::Iptables, "-A POSTROUTING -j MASQUERADE", "nat"},
    Trial{"filter6 rpfilter", Program::Ip6tables,
          "-A PREROUTING -i cali+ -m rpfilter --validmark --invert -j DROP", "raw"},
};

std::string attempt(const Trial& trial) {
  const auto node = NetworkNamespace::make();
  if (!node) return node.error();
  const auto world = NetworkNamespace::make();
  if (!world) return world.error();
  const std::array commands = {Command{trial.program, trial.arguments, trial.table}};
  const auto done = run_commands(commands, *node, *world);
  return done ? "" : done.error();
}

constexpr const char* kProgram = "/usr/bin/linux.uml";
/// Time limit of a place. Five hundred nodes take five minutes, or ten on a slow machine.
constexpr std::chrono::seconds kLimit{2400};

/// A word in single quotes for a shell.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return static_cast<bool>(file);
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kMax = 800;
  return text.size() <= kMax ? text : "… " + text.substr(text.size() - kMax);
}

std::vector<std::string> command_line(const std::filesystem::path& folder) {
  return {kProgram,
          "mem=512M",
          "root=/dev/root",
          "rootfstype=hostfs",
          "rootflags=/",
          "rw",
          "init=" + (folder / "boot").string(),
          "con=null",
          "con0=fd:0,fd:1",
          "quiet",
          "uml_dir=" + (folder / "").string()};
}

/// Boots Debian's user-mode Linux on the host's own files, runs `inner REQUEST ANSWER` in it as
/// root, and shuts it down. If there is no answer, the error contains the printed text. When this
/// function returns, all its processes have ended and its temporary folder is removed.
Parsed<Answer> ask_user_mode_linux(const Request& request, const InnerCommand& inner) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  const std::filesystem::path request_file = folder->path() / "request.json";
  const std::filesystem::path answer_file = folder->path() / "answer.json";
  if (!write_file(request_file, encode(request).dump())) return fail(system_error(request_file));
  InnerCommand command = inner;
  command.insert(command.end(), {request_file, answer_file});
  const auto printed = run_in_user_mode_linux(command, "/", *folder);
  if (!printed) return fail(printed.error());
  std::ifstream file(answer_file);
  if (!file) return fail("user-mode Linux gave no answer: " + last_lines(*printed));
  return decode_answer(nlohmann::json::parse(file));
}

/// Minimum number of experiments for a second machine, which takes 5 s to boot.
constexpr std::size_t kWorthAMachine = 32;

/// Runs the request in user-mode Linux. It mostly waits, so a second machine runs at the same time
/// and takes half of the experiments if there are many.
Parsed<Answer> ask_machines(const Request& request, const InnerCommand& inner) {
  const auto count = static_cast<std::ptrdiff_t>(request.experiments.size());
  if (request.experiments.size() < kWorthAMachine) return ask_user_mode_linux(request, inner);
  const auto half = request.experiments.begin() + count / 2;
  const Request first{.experiments = {request.experiments.begin(), half},
                      .clusters = request.clusters,
                      .probe = request.probe};
  const Request second{.experiments = {half, request.experiments.end()}};
  auto later = std::async(std::launch::async, [&] { return ask_user_mode_linux(second, inner); });
  auto answer = ask_user_mode_linux(first, inner);
  auto rest = later.get();
  if (!answer) return answer;
  if (!rest) return rest;
  std::ranges::move(rest->outcomes, std::back_inserter(answer->outcomes));
  return answer;
}

}  // namespace

std::string boot_script(const std::string& command) {
  return "#!/bin/sh\n"
         "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
         "mount -t proc proc /proc\n"
         "mount -t sysfs sysfs /sys\n"
         "mount -t tmpfs tmpfs /run\n"
         // The modules are stored next to Debian's own; the kernel also loads them from there on
         // demand.
         "mkdir -p /run/modules/lib\n"
         "ln -s /usr/lib/uml/modules /run/modules/lib/modules\n"
         "printf '#!/bin/sh\\nexec modprobe -d /run/modules \"$@\"\\n' >/run/modprobe\n"
         "chmod +x /run/modprobe\n"
         "echo /run/modprobe >/proc/sys/kernel/modprobe\n"
         // Otherwise each source gets at most one ICMP error per second about unreachable routes
         // (ip_error, net/ipv4/route.c).
         "echo 0 >/proc/sys/net/ipv4/route/error_cost\n"
         "/run/modprobe -a veth vxlan ipip sit ip6_tunnel geneve\n" +
         command +
         "\n"
         "halt -f -p\n";
}

Parsed<std::string> run_in_user_mode_linux(const std::vector<std::string>& command,
                                           const std::filesystem::path& directory,
                                           const TemporaryFolder& folder) {
  if (access(kProgram, X_OK) != 0) {
    return fail(fmt::format("{} is not there; install the package user-mode-linux", kProgram));
  }
  const std::filesystem::path boot = folder.path() / "boot";
  std::string line = "cd " + quoted(directory) + " &&";
  for (const std::string& word : command)
    line += ' ' + quoted(word);
  if (!write_file(boot, boot_script(line)) || chmod(boot.c_str(), 0755) != 0)
    return fail(system_error(folder.path()));
  return run_supervised(command_line(folder.path()), folder.path(), kLimit);
}

std::string_view to_string(Place place) {
  switch (place) {
    case Place::Namespaces:
      return "namespaces";
    case Place::UserModeLinux:
      return "uml";
  }
  return "";
}

Parsed<Answer> ask(Place place, const Request& request, const InnerCommand& inner) {
  switch (place) {
    case Place::Namespaces: {
      // Check the permission once here, so that its error is reported once.
      const auto allowed = NetworkNamespace::make();
      if (!allowed) return fail(allowed.error());
      return answer(request);
    }
    case Place::UserModeLinux:
      return ask_machines(request, inner);
  }
  return fail("no such place");
}

Answer answer(const Request& request) {
  Answer answer{.kernel = kernel_release()};
  for (const Experiment& experiment : request.experiments)
    answer.outcomes.push_back(run(experiment));
  for (const ClusterExperiment& cluster : request.clusters)
    answer.arrivals.push_back(run(cluster));
  if (request.probe) answer.abilities = probe();
  return answer;
}

Result<void, std::string> answer_files(const std::string& request_file,
                                       const std::string& answer_file) {
  std::ifstream file(request_file);
  if (!file) return fail(system_error(request_file));
  std::ofstream out(answer_file);
  try {
    out << encode(answer(decode_request(nlohmann::json::parse(file)))) << std::flush;
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("{}: {}", request_file, error.what()));
  }
  if (!out) return fail(system_error(answer_file));
  return {};
}

std::vector<Ability> probe() {
  std::vector<Ability> abilities;
  for (const Trial& trial : kTrials)
    abilities.push_back({trial.name, attempt(trial)});
  return abilities;
}

bool is_user_mode_linux() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.find("User Mode Linux") != std::string::npos) return true;
  return false;
}

}  // namespace overlane::kernel
