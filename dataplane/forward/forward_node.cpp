#include "dataplane/forward/forward.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/step_observer.h"

namespace overlane::forward {
namespace {

/// The state's own tables.
class StateLookup {
 public:
  explicit StateLookup(const node::NodeState& state) : state_(state) {}

  const node::NodeState& state() const { return state_; }
  auto route(IpAddress address) const { return node::lookup(state_, address); }
  const node::Device* device(node::DeviceName name) const { return state_.find_device(name); }
  const node::Device* uplink() const { return state_.uplink(); }
  const node::Device* receiving_device(const node::TunnelKey& key) const {
    return node::receiving_device(state_, key);
  }
  bool is_local(IpAddress address) const { return node::is_local(state_, address); }
  const node::Member* neighbour(IpAddress address) const {
    return state_.cluster->with_tunnel_address(address);
  }
  bool is_member(IpAddress address) const {
    return state_.cluster->with_node_address(address) != nullptr;
  }

 private:
  const node::NodeState& state_;
};

/// Calls `run` with the decision sequence.
template <typename Run>
void decide(const node::NodeState& state, node::NodeRuntime& runtime, Picos now, Outcome& outcome,
            std::vector<Step>* steps, Run run) {
  outcome.clear();
  const StateLookup lookup(state);
  if (steps == nullptr) {
    NoObserver observer;
    run(NodeDecision(lookup, observer, runtime, now, outcome));
  } else {
    StepObserver observer(state, *steps);
    run(NodeDecision(lookup, observer, runtime, now, outcome));
  }
}

}  // namespace

void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps) {
  decide(state, runtime, now, outcome, steps,
         [&](auto&& decision) { decision.run(packet, ingress); });
}

void time_out(const node::NodeState& state, node::NodeRuntime& runtime,
              const node::ReassemblyTable::Expired& lost, Picos now, Outcome& outcome,
              std::vector<Step>* steps) {
  decide(state, runtime, now, outcome, steps,
         [&](auto&& decision) { decision.tell_of_timeout(lost); });
}

}  // namespace overlane::forward
