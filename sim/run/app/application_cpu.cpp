#include "sim/run/app/application_cpu.h"

namespace overlane::run {

using model::TrafficKind;
using transport::Segment;

/// Time to translate the Service address of a client's packet. The first packet of a connection
/// also pays for the lookup of a Service in the middle of the list of all Services.
Picos ApplicationCpu::service_time(EndpointId id, bool is_new) const {
  if (id % 2 == 1 || !table_.group_of(id).to_service) return {};
  const cost::PathCosts& costs = cpu_.costs(table_.end(id).node);
  const Picos translation = costs.translation(services_.routing);
  if (!is_new) return translation;
  return translation + costs.new_connection(services_.routing, services_.count / 2);
}

void ApplicationCpu::pay_for_message(EndpointId id, const Endpoint& from, const Segment* segment,
                                     std::uint16_t core) {
  const NodeCores& node = cpu_[from.node];
  Picos time = service_time(id, segment == nullptr ? from.packets == 0 : segment->syn);
  const bool is_message =
      segment == nullptr || (segment->length > 0 && table_.group_of(id).kind != TrafficKind::Tcp);
  if (is_message) time += node.costs->system_call();
  if (time.count > 0) node.occupy(core, scheduler_.now(), time);
}

void ApplicationCpu::pay_for_connect(const Endpoint& client) {
  cpu_.occupy(client.node, core_of(client), cpu_.costs(client.node).connection());
}

void ApplicationCpu::pay_for_read(EndpointId id, Endpoint& end, std::int64_t bytes, Picos sent_at) {
  const NodeCores& node = cpu_[end.node];
  const cost::PathCosts& costs = *node.costs;
  Picos time = costs.copy_receive() * bytes + service_time(id, false);
  // One call reads all bytes of a stream that are available.
  if (!end.is_tcp || end.reads == 0) time += costs.system_call();
  // accept() precedes the first read of a connection that was opened for the request.
  const bool accepts = id % 2 == 1 && end.is_tcp && table_.tcp[id]->received() == bytes;
  if (accepts && table_.group_of(id).connections == Connections::PerRequest)
    time += costs.connection();
  const std::uint32_t core = end.application_core(node);
  if (end.reads++ == 0) {
    const Picos now = scheduler_.now();
    const bool is_idle = core != end.receive_core && node.cores[core].is_asleep(now);
    time += costs.wake_up(is_idle);
    if (is_idle) node.occupy(end.receive_core, now, costs.wake_ipi());
  }
  cpu_.read({id, static_cast<std::uint32_t>(bytes), sent_at}, end.node, core, time);
}

}  // namespace overlane::run
