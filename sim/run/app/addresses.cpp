#include "sim/run/app/addresses.h"

namespace overlane::run {

ServiceFronts::ServiceFronts(const Network& network) : network_(network) {
  for (const node::NodeState& state : network.nodes) {
    const node::ServiceTable* table = state.services.get();
    if (table == nullptr || tables_.contains(table)) continue;
    ByEndpoint& fronts = tables_[table];
    for (const node::Service& service : table->services()) {
      const node::ServicePort& front = service.front;
      if (table->translates_at_socket(front.protocol)) continue;
      for (const node::Endpoint& endpoint : service.endpoints)
        fronts.try_emplace({endpoint.address, endpoint.port, front.protocol},
                           node::Endpoint{front.address, front.port});
    }
  }
}

node::Endpoint ServiceFronts::of(std::uint32_t client_node, const node::ServicePort& server) const {
  const auto table = tables_.find(network_.nodes[client_node].services.get());
  if (table != tables_.end()) {
    const auto front = table->second.find(server);
    if (front != table->second.end()) return front->second;
  }
  return {server.address, server.port};
}

}  // namespace overlane::run
