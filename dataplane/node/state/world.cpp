#include "dataplane/node/state/world.h"

namespace overlane::node {

bool WorldEditor::stop_node(std::uint32_t number) {
  if (!world_.stopped.insert(number).second) return false;
  change_.stopped.push_back(number);
  return true;
}

bool WorldEditor::start_node(std::uint32_t number) {
  if (world_.stopped.erase(number) == 0) return false;
  change_.started.push_back(number);
  return true;
}

bool WorldEditor::end_pod(const PodPlace& place) {
  if (!node(place.node).remove_pod(place.address)) return false;
  change_.ended.push_back(place);
  return true;
}

void WorldEditor::restart_pod(const PodPlace& before, std::uint32_t number, const LocalPod& pod) {
  const PodPlace now{number, pod.address};
  if (before != now) node(before.node).remove_pod(before.address);
  node(number).set_pod(pod);
  change_.restarted.push_back({before, now});
}

}  // namespace overlane::node
