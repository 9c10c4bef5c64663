#pragma once

namespace overlane::command {

/// Whether this is the only program that measures on this machine, held as long as it lives.
class MachineLock {
 public:
  MachineLock();
  MachineLock(const MachineLock&) = delete;
  MachineLock& operator=(const MachineLock&) = delete;
  ~MachineLock();

  /// False while another program has the lock. True also if no lock file can be made.
  bool is_ours() const { return is_ours_; }

 private:
  int file_;
  bool is_ours_ = true;
};

}  // namespace overlane::command
