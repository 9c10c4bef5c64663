#include "dataplane/kernel/experiment/uml.h"

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/experiment/experiment_json.h"
#include "dataplane/kernel/namespaces/supervised.h"

namespace overlane::kernel {
namespace {

constexpr const char* kProgram = "/usr/bin/linux.uml";
/// A safety net: five hundred nodes take five minutes, on a slow machine ten.
constexpr std::chrono::seconds kLimit{2400};

/// In single quotes for a shell.
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

}  // namespace

std::string boot_script(const std::string& command) {
  return "#!/bin/sh\n"
         "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
         "mount -t proc proc /proc\n"
         "mount -t sysfs sysfs /sys\n"
         "mount -t tmpfs tmpfs /run\n"
         // The modules lie beside Debian's own; the kernel, too, loads them on demand from there.
         "mkdir -p /run/modules/lib\n"
         "ln -s /usr/lib/uml/modules /run/modules/lib/modules\n"
         "printf '#!/bin/sh\\nexec modprobe -d /run/modules \"$@\"\\n' >/run/modprobe\n"
         "chmod +x /run/modprobe\n"
         "echo /run/modprobe >/proc/sys/kernel/modprobe\n"
         // Else each source hears of unreachable routes once a second (ip_error, net/ipv4/route.c).
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

bool is_user_mode_linux() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.find("User Mode Linux") != std::string::npos) return true;
  return false;
}

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

}  // namespace overlane::kernel
