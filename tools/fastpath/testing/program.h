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

/// Time limit of every wait, for a busy machine.
inline constexpr std::chrono::seconds kPatience{60};

/// Polls until `holds` returns true or the time limit ends. Returns the last value.
bool comes_true(const std::function<bool()>& holds, std::chrono::seconds limit = kPatience);

/// A running `overlane-fastpath forward` in a network namespace. Killed by the destructor.
class Program {
 public:
  /// Starts with arguments in shell syntax, in the source folder. Output goes to files in `folder`.
  static Parsed<Program> start(const kernel::NetworkNamespace& place, const std::string& arguments,
                               const std::filesystem::path& folder);
  /// Starts another command, in shell syntax, with the same output files.
  static Parsed<Program> start_command(const kernel::NetworkNamespace& place,
                                       const std::string& command,
                                       const std::filesystem::path& folder);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  ~Program();

  /// Waits until standard error contains `text`. Returns false if the program ends first.
  bool says(const std::string& text);
  /// Standard error so far.
  std::string told() const;
  /// The last printed report, as JSON; null if none.
  nlohmann::json report() const;
  /// Requests a report and waits for it.
  nlohmann::json ask_report();

  void signal(int signal) const;
  bool is_running();
  /// Waits for the end. Returns the exit code or 128 + signal, or nothing after the time limit.
  std::optional<int> end();
  /// Sends SIGINT and waits for the end.
  std::optional<int> stop();

  /// Resident memory in bytes (proc(5), VmRSS).
  std::uint64_t resident_bytes() const;

 private:
  Program(pid_t process, std::filesystem::path folder)
      : process_(process), folder_(std::move(folder)) {}

  pid_t process_;
  std::filesystem::path folder_;
  std::optional<int> exit_code_;
};

}  // namespace overlane::fastpath
