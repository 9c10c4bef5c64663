#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::fastpath {

/// How long anything may take on a busy machine before it counts as failed.
inline constexpr std::chrono::seconds kPatience{60};

/// Whether a condition comes to hold within that time; looks every few milliseconds.
bool comes_true(const std::function<bool()>& holds, std::chrono::seconds limit = kPatience);

/// A running `overlane-fastpath forward` in a network namespace. Killed when it goes.
class Program {
 public:
  /// Arguments in shell syntax; runs in the source folder. What it prints goes into `folder`.
  static Parsed<Program> start(const kernel::NetworkNamespace& place, const std::string& arguments,
                               const std::filesystem::path& folder);
  /// A command that forwards in its stead, in shell syntax, and prints as that does.
  static Parsed<Program> start_command(const kernel::NetworkNamespace& place,
                                       const std::string& command,
                                       const std::filesystem::path& folder);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  ~Program();

  /// Waits until standard error holds a text; false when the program ends before.
  bool says(const std::string& text);
  /// What it wrote to standard error by now.
  std::string told() const;
  /// The counters as it printed them last, as JSON; null when it printed none.
  nlohmann::json report() const;
  /// Asks for the counters and waits for them.
  nlohmann::json ask_report();

  void signal(int signal) const;
  bool is_running();
  /// Waits for its end: the exit code, 128 + signal; nothing when it goes on.
  std::optional<int> end();
  /// SIGINT, and its end.
  std::optional<int> stop();

  /// Bytes of memory that it has resident (proc(5), VmRSS).
  std::uint64_t resident_bytes() const;

 private:
  Program(pid_t process, std::filesystem::path folder)
      : process_(process), folder_(std::move(folder)) {}

  pid_t process_;
  std::filesystem::path folder_;
  std::optional<int> exit_code_;
};

}  // namespace overlane::fastpath
