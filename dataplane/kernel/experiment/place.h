#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/kernel/experiment/cluster.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::kernel {

// Places where experiments run: namespaces of this kernel, or user-mode Linux, an ordinary process
// that needs no root. ask() starts the place, passes the request to it and returns the answer.

/// A place with a kernel that runs experiments.
enum class Place : std::uint8_t {
  Namespaces,     ///< Network namespaces of the running kernel. Requires root.
  UserModeLinux,  ///< Debian's user-mode-linux, an ordinary process. Does not require root.
};

/// "namespaces", "uml".
std::string_view to_string(Place place);

/// A kind of device or packet filter, and whether a place can make it.
struct Ability {
  std::string name;     ///< "ipip", "filter rpfilter".
  std::string missing;  ///< Error of the kernel; empty if it works.

  auto operator<=>(const Ability&) const = default;
};

/// Experiments for a place.
struct Request {
  std::vector<Experiment> experiments;
  std::vector<ClusterExperiment> clusters;
  bool probe = false;  ///< Whether to test the abilities.

  bool operator==(const Request&) const = default;
};

struct Answer {
  std::string kernel;                                   ///< "6.1.176".
  std::vector<Parsed<std::vector<Observed>>> outcomes;  ///< One per experiment, in order.
  /// For each cluster, in order: for each launch, the packets that reached pods.
  std::vector<Parsed<std::vector<std::vector<Arrival>>>> arrivals;
  std::vector<Ability> abilities;  ///< Only if `probe` was set.
};

/// The command line that user-mode Linux runs inside, without its last two arguments. These are the
/// request file and the answer file, which the program must pass to answer_files(). The first word
/// must be the path of a program on the host.
using InnerCommand = std::vector<std::string>;

/// Runs experiments in a place. Fails if the place is not available; the message contains the
/// reason and what to install.
Parsed<Answer> ask(Place place, const Request& request, const InnerCommand& inner);

/// Runs experiments in namespaces of the kernel that runs this program.
Answer answer(const Request& request);

/// Reads the request from one file and writes the answer to another. Called by the program that
/// runs inside user-mode Linux.
Result<void, std::string> answer_files(const std::string& request_file,
                                       const std::string& answer_file);

/// Tests in new namespaces what this kernel can make: every kind of device and packet filter that
/// set_up may use. Requires root.
std::vector<Ability> probe();

/// Boots Debian's user-mode Linux on the host's own files, runs `command` in it as root in the
/// folder `directory`, shuts it down, and returns the printed text. All its processes have ended
/// when this function returns. If this process ends early, they are killed and `folder`, which
/// holds their files, is removed. Fails if user-mode Linux is not installed or does not end.
Parsed<std::string> run_in_user_mode_linux(const std::vector<std::string>& command,
                                           const std::filesystem::path& directory,
                                           const TemporaryFolder& folder);

/// The script that runs inside instead of init: it mounts file systems, loads modules, runs
/// `command` and halts.
std::string boot_script(const std::string& command);

/// Whether the running kernel is user-mode Linux.
bool is_user_mode_linux();

}  // namespace overlane::kernel
