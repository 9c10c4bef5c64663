#pragma once

#include <string>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::witness {

/// A route that a shoot's route controller keeps, and the table that it is for.
struct Wanted {
  std::uint32_t table = 0;
  IpPrefix destination;
  node::FabricRoute route;
};

std::vector<Wanted> controller_routes(const node::FabricState& fabric);

/// Writes controllers' routes into a network of two shoots as the provider takes them.
class RouteWriter {
 public:
  RouteWriter(node::FabricState& fabric, effective::Provider provider);

  /// The routes of two shoots that write into the same tables; those of `last`, which has these
  /// pods, after the others. What then becomes of destinations that both want is the provider's
  /// row in route_writer.cpp.
  void write(const std::vector<Wanted>& first, const std::vector<Wanted>& last,
             const std::vector<IpPrefix>& pods, const std::string& last_name);
  /// Not when the provider refuses it.
  void write(const Wanted& wanted);

  /// What was taken for granted, and what was refused; a sentence each.
  const std::vector<std::string>& told() const { return told_; }

 private:
  bool hides_local(const Wanted& wanted) const;
  void refuse(const Wanted& wanted, std::string_view why);

  node::FabricState& fabric_;
  effective::Provider provider_;
  std::vector<std::string> told_;
};

}  // namespace overlane::witness
