#include "scenarios/migration/simulate.h"

#include <memory>

#include "dataplane/node/state/fabric_editor.h"
#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/bgp_sessions.h"
#include "scenarios/migration/actors/bird_export.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "scenarios/migration/actors/route_controller.h"

namespace overlane::migration {
namespace {

constexpr Picos kLongest = seconds(7 * 24 * 3600);

/// The actor that acts next, the first of those that act at one time; null when none does.
run::Actor* first_of(const std::vector<std::unique_ptr<run::Actor>>& actors, Picos& at) {
  run::Actor* first = nullptr;
  for (const auto& actor : actors) {
    const std::optional<Picos> next = actor->next();
    if (!next || (first != nullptr && *next >= at)) continue;
    first = actor.get();
    at = *next;
  }
  return first;
}

}  // namespace

Course simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                std::uint64_t seed) {
  Course course{.end = {transition.from.nodes, transition.from.fabric}};
  node::WorldEditor editor(course.end);
  std::vector<PodRoute> missing = missing_routes(transition);
  if (strategy.routes_before) {
    for (const PodRoute& route : missing)
      editor.fabric().set_route(route.table, route.pod_cidr, route.route);
    editor.take();
  }
  path::Reachability reachability(course.end);
  OutageRecorder recorder(reachability, transition.nodes());

  ClusterObjects objects(transition.nodes());
  const CalicoNode calico(transition);
  std::vector<std::unique_ptr<run::Actor>> actors;
  actors.push_back(std::make_unique<Gardenlet>(timing, strategy.gate, objects));
  actors.push_back(std::make_unique<RouteController>(
      timing, route_writing(provider::profile_of(transition.after.provider).routes, timing),
      std::move(missing), objects));
  const bool has_bird_before = transition.before.dataplane.backend == effective::Backend::Bird;
  if (has_bird_before)
    actors.push_back(std::make_unique<BirdExport>(timing, seed, calico, objects));
  if (transition.has_bird_afterwards())
    actors.push_back(std::make_unique<BgpSessions>(timing, seed, has_bird_before, calico, objects));
  auto rollout =
      std::make_unique<AgentRollout>(timing, seed, strategy, transition, calico, objects);
  const AgentRollout& pods = *rollout;
  actors.push_back(std::move(rollout));

  Picos now;
  while (run::Actor* const actor = first_of(actors, now)) {
    if (now > kLongest) break;
    actor->act(editor, now);
    course.ended_at = now;
    const node::WorldChange change = editor.take();
    if (change.any()) recorder.see(reachability.update(change), now);
  }
  course.steps = std::move(objects.steps);
  course.outages = recorder.take();
  course.network_applied = objects.network_applied_at.has_value();
  course.unfinished_pods = pods.unfinished();
  return course;
}

}  // namespace overlane::migration
