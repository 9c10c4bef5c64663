#include "dataplane/forward/forward.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/forward/step_observer.h"

namespace overlane::forward {
namespace {

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
