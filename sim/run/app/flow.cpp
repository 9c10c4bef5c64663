#include "sim/run/app/flow.h"

namespace overlane::run {

std::int64_t FlowTable::sent_by_nodes() const {
  std::int64_t packets = 0;
  for (EndpointId id = 0; id < flows.size() * 2; ++id)
    if (is_on_node(id)) packets += end(id).packets;
  return packets;
}

std::vector<std::int64_t> FlowTable::datagrams_by_group() const {
  std::vector<std::int64_t> datagrams(traffic.size());
  for (const Flow& flow : flows) {
    if (traffic[flow.group].kind == model::TrafficKind::Udp)
      datagrams[flow.group] += flow.client.packets;
  }
  return datagrams;
}

}  // namespace overlane::run
