#include "tools/overlane/suites/machine_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace overlane::command {
namespace {

/// In a folder that every user may write to, for all users.
constexpr const char* kFile = "/tmp/overlane-bench.lock";
constexpr mode_t kForAll = 0666;

}  // namespace

MachineLock::MachineLock()
    : file_(open(kFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll)) {
  if (file_ >= 0) is_ours_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
}

MachineLock::~MachineLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace overlane::command
