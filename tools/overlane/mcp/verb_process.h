#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <sys/types.h>

#include "tools/overlane/mcp/tool.h"

// A call of a verb in a child process. The child is a fork of the server that runs the verb's own
// action with standard streams that are pipes, so an answer has the bytes that the command line
// prints, without a second implementation of any verb. A process, not a thread, for four reasons: a
// verb that simulates for minutes can be stopped at any instruction (notifications/cancelled),
// verbs print to standard output, which belongs to the protocol here, a crash costs one call, and
// the kernel can take rights away: the child cannot make any file larger than it is (RLIMIT_FSIZE
// is 0) and cannot use more than the memory that is available at its start. No program is executed.
// For one thread; the process must have no other threads when a call starts.
namespace overlane::mcp {

/// What a child wrote and how it ended.
struct VerbOutput {
  std::string text;      ///< Standard output.
  std::string messages;  ///< Standard error.
  std::string document;  ///< The JSON document (--json).
  int exit_code = -1;    ///< -1 if a signal ended the child.
  int signal = 0;
};

/// A running child. The destructor kills it.
class VerbProcess {
 public:
  static constexpr std::size_t kPipes = 3;

  /// Starts the child. Throws std::system_error if the system refuses.
  explicit VerbProcess(const VerbCall& call);
  VerbProcess(const VerbProcess&) = delete;
  VerbProcess& operator=(const VerbProcess&) = delete;
  ~VerbProcess();

  /// Descriptors to poll for reading; -1 where the child has closed its end.
  const std::array<int, kPipes>& pipes() const { return pipes_; }
  /// Reads what one of the pipes has. Does not wait if the pipe is readable.
  void read_from(std::size_t pipe);
  /// Whether the child has closed all pipes, so that finish() waits for its end only.
  bool is_done() const;
  /// Number of bytes read so far.
  std::size_t bytes() const;
  /// Waits for the end of the child. Call it once.
  VerbOutput finish();

 private:
  pid_t child_ = -1;  ///< -1 after finish().
  std::array<int, kPipes> pipes_{};
  std::array<std::string, kPipes> texts_;  ///< Standard output, standard error, document.
};

}  // namespace overlane::mcp
