#pragma once

namespace overlane::kernel {

/// What all processors of the machine did (proc(5), /proc/stat), in seconds.
struct CpuTimes {
  double user = 0;  ///< Programs, nice ones too.
  double system = 0;
  double softirq = 0;  ///< Interrupts and what they leave behind, such as receiving packets.
  double idle = 0;
  double stolen = 0;  ///< That the hypervisor gave to others.

  double busy() const { return user + system + softirq; }
  CpuTimes operator-(const CpuTimes& earlier) const;
  CpuTimes& operator+=(const CpuTimes& other);
};

CpuTimes read_cpu_times();

}  // namespace overlane::kernel
