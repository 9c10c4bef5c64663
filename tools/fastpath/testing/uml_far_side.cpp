#include "tools/fastpath/testing/uml_far_side.h"

#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "tools/fastpath/testing/exchange.h"

namespace overlane::fastpath {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUml = "/usr/bin/linux.uml";
/// Files in the folder: the pod is ready; the requested exchange (pod and MTU); its result; the
/// request to stop; user-mode Linux has ended.
constexpr const char* kReady = "ready";
constexpr const char* kAsked = "asked";
constexpr const char* kAnswer = "answer";
constexpr const char* kStop = "stop";
constexpr const char* kEnded = "ended";
/// The result of a successful exchange.
constexpr const char* kAllWell = "all is well";

/// Writes a file atomically.
void write_whole(const fs::path& file, const std::string& text) {
  const fs::path unfinished = file.string() + ".unfinished";
  std::ofstream(unfinished) << text;
  fs::rename(unfinished, file);
}

/// A command as a line of a shell script, in a namespace if `place` is not empty.
std::string line(const kernel::Command& command, const std::string& place) {
  const std::string inside = place.empty() ? "" : "ip netns exec " + place + " ";
  if (command.program != kernel::Program::Sysctl) return inside + to_string(command) + '\n';
  const std::size_t equals = command.arguments.find('=');
  return fmt::format("echo {} >/proc/sys/{}\n", command.arguments.substr(equals + 1),
                     command.arguments.substr(0, equals));
}

/// The script inside: creates node and pod, and runs this program in the pod.
std::string script(const Layout& layout, const fs::path& folder) {
  std::string text =
      "set -x\n"
      "ip link set eth0 up\n"
      "ip netns add far_pod\n"
      "ip link add cali1 type veth peer name eth0 netns far_pod\n"
      "ip link set cali1 up\n"
      "ip -n far_pod link set eth0 up\n";
  for (const kernel::Command& command : far_node_commands(layout))
    text += line(command, "");
  for (const kernel::Command& command : pod_commands(kFarPod, layout.far_pod_mtu))
    text += line(command, "far_pod");
  const std::string self = fs::read_symlink("/proc/self/exe");
  return text + fmt::format(
                    "OVERLANE_FAR_POD='{}' ip netns exec far_pod '{}' "
                    "--gtest_also_run_disabled_tests --gtest_filter='FarPod.*'\n"
                    "ip -s link; ip -d link show tunl0; cat /proc/net/snmp\n",
                    folder.string(), self);
}

}  // namespace

std::string UmlFarSide::why_not() {
  if (access(kUml, X_OK) != 0) return fmt::format("{} is not there", kUml);
  std::ifstream processors("/proc/cpuinfo");
  for (std::string word; processors >> word;)
    if (word == "amx_tile")
      return "user-mode Linux 6.1 has no room for AMX's registers: it ends with \"ptrace set fp "
             "regs failed\"";
  return "";
}

Parsed<std::unique_ptr<UmlFarSide>> UmlFarSide::start(const Layout& layout, const NearSide& near,
                                                      const fs::path& folder) {
  auto made = ip(near.middle, {"tuntap add up0 mode tap", "link set up0 up"});
  if (!made) return fail(made.error());
  std::ofstream(folder / "boot") << kernel::boot_script(script(layout, folder));
  fs::permissions(folder / "boot", fs::perms::owner_all);
  auto far = std::unique_ptr<UmlFarSide>(new UmlFarSide(near, folder));
  comes_true([&] { return fs::exists(folder / kReady) || fs::exists(folder / kEnded); });
  if (!fs::exists(folder / kReady)) return fail("user-mode Linux does not come up");
  // The tap is running once a process has opened its other end.
  if (made = kernel::make_ready(near.middle, "up0"); !made) return fail(made.error());
  return far;
}

UmlFarSide::UmlFarSide(const NearSide& near, fs::path folder)
    : folder_(std::move(folder)), thread_([this, &near] {
        const kernel::Inside inside(near.middle);
        const auto printed = kernel::run_supervised(
            {kUml, "mem=256M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw",
             "init=" + (folder_ / "boot").string(), "con=null", "con0=fd:0,fd:1", "quiet",
             "eth0=tuntap,up0", "uml_dir=" + (folder_ / "").string()},
            folder_, std::chrono::minutes(10));
        std::ofstream(folder_ / kEnded) << (printed ? *printed : printed.error());
      }) {}

UmlFarSide::~UmlFarSide() {
  std::ofstream(folder_ / kStop).flush();
}

std::string UmlFarSide::exchange_all_sizes_with(const std::string& pod, std::size_t mtu) const {
  write_whole(folder_ / kAsked, fmt::format("{} {}\n", pod, mtu));
  if (!comes_true([&] { return fs::exists(folder_ / kAnswer); }, std::chrono::minutes(3))) {
    return "no answer from user-mode Linux";
  }
  std::string answer;
  std::getline(std::ifstream(folder_ / kAnswer), answer, '\0');
  fs::remove(folder_ / kAnswer);
  return answer == kAllWell ? "" : "in user-mode Linux: " + answer;
}

std::string UmlFarSide::serve(const fs::path& folder) {
  const auto echo = Echo::start();
  if (!echo) return echo.error();
  const auto here = kernel::NetworkNamespace::of_this_thread();
  if (!here) return here.error();
  std::ofstream(folder / kReady).flush();
  const auto is_there = [&](const char* name) { return fs::exists(folder / name); };
  while (
      comes_true([&] { return is_there(kStop) || is_there(kAsked); }, std::chrono::minutes(10))) {
    if (is_there(kStop)) return "";
    std::string pod;
    std::size_t mtu = 0;
    std::ifstream(folder / kAsked) >> pod >> mtu;
    fs::remove(folder / kAsked);
    const std::string wrong = exchange_all_sizes(*here, pod, mtu);
    write_whole(folder / kAnswer, wrong.empty() ? kAllWell : wrong);
  }
  return "nobody ended it";
}

}  // namespace overlane::fastpath
