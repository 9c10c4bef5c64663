#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "dataplane/kernel/traffic/cpu_times.h"
#include "dataplane/kernel/traffic/flow.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// How long flows run: `warm_up` that does not count, then `counted`.
struct FlowTimes {
  std::chrono::milliseconds warm_up{200};
  std::chrono::milliseconds counted{500};
};

struct Carried {
  std::vector<FlowFigures> flows;  ///< In the order of the flows.
  CpuTimes cpu;                    ///< Of the whole machine meanwhile.
};

/// Flows over the kernel, each with a thread for its client and one for its server, and real
/// sockets in their namespaces. Ended by the destructor at the latest.
class Traffic {
 public:
  /// Servers listen from then on. Fails if a socket cannot be made.
  static Parsed<Traffic> prepare(std::vector<Flow> flows);
  Traffic(Traffic&&) noexcept;
  ~Traffic();

  /// Starts all flows at once and returns when the time that counts is over; they go on. Returns
  /// early when `is_over` does: then nothing counts.
  void run(const FlowTimes& times, const std::function<bool()>& is_over);
  /// Ends the flows; after run(). A flow that did not get through has a `failure`.
  Carried finish();

 private:
  struct State;
  explicit Traffic(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// All of it: flows with both ends here. Ends early if `stop` is set.
Parsed<Carried> carry(std::vector<Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop);

}  // namespace overlane::kernel
