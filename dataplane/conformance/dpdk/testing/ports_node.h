#pragma once

#include <memory>

#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/verify/verifier.h"

namespace overlane::conformance::testing {

// Runs the conformance suite on the ports of a node on DPDK (dataplane/dpdk). verify::Verifier
// compares each packet with the byte path.

/// Starts DPDK once per process, without hugepages, which a test machine may not have.
void start_dpdk();

/// Compiles states for DPDK and keeps the last result for an equal state.
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
  /// `generations` must outlive the object.
  explicit PortsNode(Generations& generations);

  /// Sends a packet through both and returns the result of the byte path. If the state differs from
  /// the last one, the node changes to it first.
  Rebuilt arrive(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                 Picos now);
  /// Passes time on both sides.
  void pass_time(const node::NodeState& state, Picos now);
  /// Changes the node to a new state.
  void forget_lost_devices(const node::NodeState& state) { take_over(state, now_); }

 private:
  /// Expects that the counters account for every packet that arrived or was made.
  void expect_balanced() const;
  void take_over(const node::NodeState& state, Picos now);

  Generations& generations_;
  verify::Verifier verifier_;
  bool has_state_ = false;
  Picos now_;
};

}  // namespace overlane::conformance::testing
