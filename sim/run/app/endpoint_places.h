#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dataplane/node/state/world.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// Index from places (node and pod address) to the endpoints there. An endpoint is the first
/// connection's endpoint of a flow: its other connections are at the same place. Several endpoints
/// may share a place. Results are in the order of insertion per place, and by address per node.
class EndpointPlaces {
 public:
  bool empty() const { return places_.empty(); }
  void insert(const node::PodPlace& place, EndpointId id) { places_.emplace(place, id); }
  /// Endpoints at a place.
  std::vector<EndpointId> at(const node::PodPlace& place) const {
    std::vector<EndpointId> ends;
    const auto [begin, end] = places_.equal_range(place);
    for (auto at = begin; at != end; ++at)
      ends.push_back(at->second);
    return ends;
  }
  /// Endpoints of all pods of a node and of the node itself.
  std::vector<EndpointId> on(std::uint32_t node) const {
    std::vector<EndpointId> ends;
    for (auto at = places_.lower_bound({node, {}}); at != places_.end() && at->first.node == node;
         ++at)
      ends.push_back(at->second);
    return ends;
  }
  /// Moves an endpoint from `before`, where it is, to `now`.
  void move(EndpointId id, const node::PodPlace& before, const node::PodPlace& now) {
    const auto [begin, end] = places_.equal_range(before);
    for (auto at = begin; at != end; ++at)
      if (at->second == id) {
        places_.erase(at);
        break;
      }
    places_.emplace(now, id);
  }

 private:
  std::multimap<node::PodPlace, EndpointId> places_;
};

}  // namespace overlane::run
