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

// Where experiments run: namespaces of this kernel, or user-mode Linux, an ordinary process
// that needs no root. ask() starts the place, hands it the request and returns the answer.

/// Where a kernel runs experiments.
enum class Place : std::uint8_t {
  Namespaces,     ///< Network namespaces of the running kernel. Needs root.
  UserModeLinux,  ///< Debian's user-mode-linux, an ordinary process. Needs no root.
};

/// "namespaces", "uml".
std::string_view to_string(Place place);

/// Whether a place can make something: a kind of device, or a packet filter.
struct Ability {
  std::string name;     ///< "ipip", "filter rpfilter".
  std::string missing;  ///< What the kernel said; empty when it works.

  auto operator<=>(const Ability&) const = default;
};

/// What to ask of a place.
struct Request {
  std::vector<Experiment> experiments;
  std::vector<ClusterExperiment> clusters;
  bool probe = false;  ///< Whether to try the abilities.

  bool operator==(const Request&) const = default;
};

struct Answer {
  std::string kernel;                                   ///< "6.1.176".
  std::vector<Parsed<std::vector<Observed>>> outcomes;  ///< One per experiment, in order.
  /// One per cluster, in order: for each launch what reached pods.
  std::vector<Parsed<std::vector<std::vector<Arrival>>>> arrivals;
  std::vector<Ability> abilities;  ///< When asked for.
};

/// How user-mode Linux runs this program inside: the command line up to the two files, request and
/// answer, which it must hand to answer_files. Must be the path of a program on the host.
using InnerCommand = std::vector<std::string>;

/// Runs experiments in a place. Fails when the place itself is not to be had; the message says why
/// and what to install.
Parsed<Answer> ask(Place place, const Request& request, const InnerCommand& inner);

/// Runs experiments in namespaces of the kernel that runs this program.
Answer answer(const Request& request);

/// Reads the request from one file and writes the answer to another: the program that runs inside
/// user-mode Linux calls it.
Result<void, std::string> answer_files(const std::string& request_file,
                                       const std::string& answer_file);

/// Tries in fresh namespaces what this kernel can make: every kind of device and every kind of
/// packet filter that set_up may use. Needs root.
std::vector<Ability> probe();

/// Boots Debian's user-mode Linux on the host's own files, runs `command` in it as root in the
/// folder `directory`, and ends it; what it printed. All its processes are gone when this returns;
/// if this process ends before, they are killed, and `folder`, which is for their files, is
/// removed. Fails if user-mode Linux is not there or does not end.
Parsed<std::string> run_in_user_mode_linux(const std::vector<std::string>& command,
                                           const std::filesystem::path& directory,
                                           const TemporaryFolder& folder);

/// What runs inside instead of init: it mounts, loads modules, runs `command` and halts.
std::string boot_script(const std::string& command);

/// Whether the running kernel is one.
bool is_user_mode_linux();

}  // namespace overlane::kernel
