#pragma once

#include <memory>

#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/verify/verifier.h"

namespace overlane::conformance::testing {

/// DPDK, started once in a process: without hugepages, which a machine that tests may not have.
void start_dpdk();

/// Compiles states, and the same state as last time only once.
class Generations {
 public:
  std::shared_ptr<const dpdk::Generation> of(const node::NodeState& state);

 private:
  std::shared_ptr<const dpdk::Generation> last_;
};

/// Sends each packet through the ports of a node on DPDK and the byte path. A difference fails the
/// test.
class PortsNode {
 public:
  /// Which must outlive it.
  explicit PortsNode(Generations& generations);

  /// What both make of a packet. Another state than the last one is taken over first.
  Rebuilt arrive(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                 Picos now);
  /// Passes time on both sides.
  void pass_time(const node::NodeState& state, Picos now);
  /// After a change of the state.
  void forget_lost_devices(const node::NodeState& state) { take_over(state, now_); }

 private:
  /// All that came and was made became something.
  void expect_balanced() const;
  void take_over(const node::NodeState& state, Picos now);

  Generations& generations_;
  verify::Verifier verifier_;
  bool has_state_ = false;
  Picos now_;
};

}  // namespace overlane::conformance::testing
