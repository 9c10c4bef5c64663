#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dataplane/node/state/world.h"
#include "sim/run/app/applications.h"
#include "sim/run/app/exchanges.h"
#include "sim/run/app/socket_receiver.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/packet/packet.h"
#include "sim/run/path/border.h"
#include "sim/run/path/packet_path.h"

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

/// Endpoints that a change of the states affects. Each is the endpoint of a flow's first
/// connection.
struct AffectedEndpoints {
  std::vector<EndpointId>
      silenced;                   ///< Endpoints that received packets and receive none from now on.
  std::vector<EndpointId> heard;  ///< Endpoints that may receive again.
  std::vector<EndpointId>
      back;  ///< Endpoints whose pods start again, unless they have stopped since.
};

/// Endpoints that stop and start with their nodes and pods. When a node or pod stops, its sockets
/// are closed without a FIN, and unread payload is lost with a node. When a pod starts again, maybe
/// on another node or with another address, its application starts from the beginning: a client
/// opens a new connection, and a server answers segments of its former connections with RST. A
/// change of the states takes two steps, each in all partitions before the next: stop(), start().
/// One partition owns a PodRestarts and is its only user.
class PodRestarts {
 public:
  /// Referenced arguments must outlive this object.
  PodRestarts(FlowTable& table, SocketHeaders& headers, ConnectionChurn& churn,
              Applications& applications, PodReassembly& reassembly, const PacketPath& path,
              const core::Scheduler& scheduler, const Border& border)
      : table_(table),
        headers_(headers),
        churn_(churn),
        applications_(applications),
        reassembly_(reassembly),
        path_(path),
        scheduler_(scheduler),
        border_(border) {}

  /// Stops the endpoints of nodes that do not run when the run begins.
  void stop_absent();
  /// The states have changed: stops the endpoints of nodes and pods that are gone.
  void stop(const node::WorldChange& change, AffectedEndpoints& affected);
  /// Starts the endpoints in `affected.back` whose node and pod run now.
  void start(AffectedEndpoints& affected);

 private:
  void index_places();
  std::vector<EndpointId> ends_on(std::uint32_t node);
  std::vector<EndpointId> pods_at(const node::PodPlace& place);
  bool is_there(EndpointId first) const;
  void stop(EndpointId first, bool with_node, AffectedEndpoints& affected);
  void start(EndpointId first, AffectedEndpoints& affected);
  void start_application(std::uint32_t origin);
  void renew_at(EndpointId first, const node::PodPlace& now);
  void move(EndpointId id, const node::PodPlace& now);
  void give_mtu(EndpointId first);
  node::PodPlace place_of(EndpointId id) const {
    return {table_.end(id).node, headers_[id].address};
  }
  const node::NodeState& state_of(EndpointId id) const {
    return path_.decisions().states().nodes()[table_.end(id).node];
  }
  /// Calls act(endpoint) for the endpoint `first` and that of each other connection of its flow.
  template <typename Act>
  void for_each_connection(EndpointId first, Act act) {
    std::uint32_t connection = first / 2;
    do {
      act(connection * 2 + first % 2);
      connection = table_.next_of(connection);
    } while (connection != first / 2);
  }

  FlowTable& table_;
  SocketHeaders& headers_;
  ConnectionChurn& churn_;
  Applications& applications_;
  PodReassembly& reassembly_;
  const PacketPath& path_;
  const core::Scheduler& scheduler_;
  const Border& border_;
  EndpointPlaces places_;  ///< This partition's endpoints; filled at the first stop or start.
};

}  // namespace overlane::run
