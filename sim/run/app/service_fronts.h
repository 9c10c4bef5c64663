#pragma once

#include <map>

#include "sim/run/inputs/network.h"

namespace overlane::run {

/// Which address a client uses for a server that it reaches through a Service.
class ServiceFronts {
 public:
  explicit ServiceFronts(const Network& network);

  /// That of the Service with this endpoint on the client's node, as long as packets bear it; else
  /// the server's own.
  node::Endpoint of(std::uint32_t client_node, const node::ServicePort& server) const;

 private:
  using ByEndpoint = std::map<node::ServicePort, node::Endpoint>;

  const Network& network_;
  std::map<const node::ServiceTable*, ByEndpoint> tables_;  ///< Most nodes share one.
};

}  // namespace overlane::run
