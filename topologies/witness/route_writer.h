#pragma once

#include <string>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::witness {

/// A route of a shoot's route controller, and its table.
struct Wanted {
  std::uint32_t table = 0;
  IpPrefix destination;
  node::FabricRoute route;
};

/// Routes to pods that a route controller writes or nodes announce.
std::vector<Wanted> controller_routes(const node::FabricState& fabric);

/// Writes controllers' routes into a network of two shoots as the provider accepts them.
class RouteWriter {
 public:
  RouteWriter(node::FabricState& fabric, effective::Provider provider);

  /// The routes of two shoots that write into the same tables, those of `last`, with these pods,
  /// after the others. provider::SharedTable decides about destinations that both want.
  void write(const std::vector<Wanted>& first, const std::vector<Wanted>& last,
             const std::vector<IpPrefix>& pods, const std::string& last_name);
  /// Unless the provider refuses it.
  void write(const Wanted& wanted);

  /// Assumptions and refusals; a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool hides_local(const Wanted& wanted) const;
  void refuse(const Wanted& wanted, std::string_view why);

  node::FabricState& fabric_;
  effective::Provider provider_;
  std::vector<std::string> notes_;
};

}  // namespace overlane::witness
