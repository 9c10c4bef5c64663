#include "dataplane/adjacency/probe.h"

#include <algorithm>

#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/step_observer.h"

namespace overlane::adjacency {
namespace {

/// Whether the node treats the next packet as if it had not seen this one. It may have drawn an
/// identification, and know a connection without effect.
bool learned_nothing(node::NodeRuntime& runtime) {
  const bool no_effect = std::ranges::all_of(runtime.connections.connections(), has_no_effect);
  if (!no_effect) return false;
  runtime.identification = {};
  runtime.connections = {};
  return runtime == node::NodeRuntime{};
}

}  // namespace

std::optional<forward::Emission> Probe::single(const forward::Packet& packet,
                                               forward::Ingress ingress) {
  const ClassLookup lookup(state_, classes_, finder_);
  node::NodeRuntime runtime;
  forward::NoObserver observer;
  outcome_.clear();
  forward::NodeDecision(lookup, observer, runtime, Picos{}, outcome_).run(packet, ingress);
  const bool is_single = outcome_.emissions.size() == 1 && !outcome_.drop && !outcome_.held &&
                         outcome_.completed.empty() && !outcome_.emissions[0].is_reply;
  if (!is_single || !learned_nothing(runtime)) return std::nullopt;
  return outcome_.emissions[0];
}

}  // namespace overlane::adjacency
