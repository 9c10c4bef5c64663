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
  const node::Device* device(std::string_view name) const { return state_.find_device(name); }
  const node::Device* uplink() const { return state_.uplink(); }
  const node::Device* tunnel_device(Encapsulation encapsulation) const {
    return state_.tunnel_device(encapsulation);
  }
  bool is_local(IpAddress address) const { return node::is_local(state_, address); }
  const node::Member* neighbour(IpAddress address) const {
    return node::member_with_tunnel_address(state_, address);
  }
  bool is_member(const Packet& packet) const {
    return node::is_member_address(state_, packet.outer.source, packet.inner.source);
  }

 private:
  const node::NodeState& state_;
};

}  // namespace

void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps) {
  outcome.clear();
  const StateLookup lookup(state);
  if (steps == nullptr) {
    NoObserver observer;
    NodeDecision(lookup, observer, runtime, now, outcome).run(packet, ingress);
  } else {
    StepObserver observer(state, *steps);
    NodeDecision(lookup, observer, runtime, now, outcome).run(packet, ingress);
  }
}

}  // namespace overlane::forward
