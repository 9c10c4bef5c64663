#include "scenarios/migration/simulate.h"

#include "dataplane/node/state/fabric_editor.h"
#include "scenarios/migration/actors/components.h"

namespace overlane::migration {
namespace {

constexpr Picos kLongest = seconds(7 * 24 * 3600);

}  // namespace

node::World world_at_start(const Transition& transition, const Strategy& strategy) {
  node::World world{transition.from.nodes, transition.from.fabric};
  if (strategy.routes_before) {
    node::FabricEditor editor(world.fabric);
    for (const PodRoute& route : missing_routes(transition))
      editor.set_route(route.table, route.pod_cidr, route.route);
  }
  return world;
}

Course simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                std::uint64_t seed) {
  Course course{.end = world_at_start(transition, strategy)};
  node::WorldEditor editor(course.end);
  path::Reachability reachability(course.end);
  OutageRecorder recorder(reachability, transition.nodes());
  Components components(transition, strategy, timing, seed);
  while (const std::optional<Picos> now = components.next()) {
    if (*now > kLongest) break;
    components.act(editor, *now);
    course.ended_at = *now;
    const node::WorldChange change = editor.take();
    if (change.any()) recorder.see(reachability.update(change), *now);
  }
  course.steps = components.steps();
  course.outages = recorder.take();
  course.network_applied = components.network_applied();
  course.replaced_nodes = components.replaced_nodes();
  course.unfinished_pods = components.unfinished_pods();
  return course;
}

}  // namespace overlane::migration
