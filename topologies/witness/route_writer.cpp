#include "topologies/witness/route_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dataplane/node/state/world.h"

namespace overlane::witness {

using effective::Provider;
using node::FabricRouteOwner;
using node::FabricTarget;

std::vector<Wanted> controller_routes(const node::FabricState& fabric) {
  std::vector<Wanted> list;
  for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table) {
    for (const auto& [destination, route] : fabric.route_tables[table].routes)
      if (route.owner == FabricRouteOwner::RouteController || route.owner == FabricRouteOwner::Bgp)
        list.push_back({table, destination, route});
  }
  return list;
}

RouteWriter::RouteWriter(node::FabricState& fabric, Provider provider)
    : fabric_(fabric), provider_(provider) {}

void RouteWriter::write(const std::vector<Wanted>& first, const std::vector<Wanted>& last,
                        const std::vector<IpPrefix>& pods, const std::string& last_name) {
  const provider::SharedTable& shared_table = provider::profile_of(provider_).routes.shared;
  bool contend = false;
  for (const Wanted& wanted : first) {
    const bool shared = std::ranges::find(last, wanted.table, &Wanted::table) != last.end();
    const bool inside = std::ranges::any_of(
        pods, [&](const IpPrefix& range) { return range.contains(wanted.destination); });
    const bool is_deleted = shared && inside && shared_table.deletes_foreign;
    if (!is_deleted) write(wanted);
    contend |=
        is_deleted || std::ranges::any_of(last, [&](const Wanted& other) {
          return other.table == wanted.table && other.destination.overlaps(wanted.destination);
        });
  }
  if (contend) notes_.push_back(fmt::format(fmt::runtime(shared_table.outcome), last_name));
  for (const Wanted& wanted : last)
    write(wanted);
}

void RouteWriter::write(const Wanted& wanted) {
  if (provider::profile_of(provider_).fabric.keeps_local_routes && hides_local(wanted))
    return refuse(wanted, "takes a route inside the network's range only for a whole subnet");
  const auto change =
      node::FabricEditor(fabric_).set_route(wanted.table, wanted.destination, wanted.route);
  if (change == node::RouteChange::InsideSubnet)
    refuse(wanted, "refuses a route that hides a subnet");
}

bool RouteWriter::hides_local(const Wanted& wanted) const {
  const auto& routes = fabric_.route_tables[wanted.table].routes;
  const bool inside = std::ranges::any_of(routes, [&](const auto& entry) {
    return entry.second.target == FabricTarget::Local && entry.first.contains(wanted.destination);
  });
  return inside && std::ranges::none_of(fabric_.subnets, [&](const node::Subnet& subnet) {
           return std::ranges::find(subnet.cidrs, wanted.destination) != subnet.cidrs.end();
         });
}

void RouteWriter::refuse(const Wanted& wanted, std::string_view why) {
  const std::string begin = fmt::format("{} {}, so none leads to ", to_string(provider_), why);
  const std::string pod_cidr = fmt::format("{} of {}", wanted.destination.to_string(),
                                           fabric_.instances[wanted.route.instance].name);
  const auto told = std::ranges::find_if(
      notes_, [&](const std::string& text) { return text.starts_with(begin); });
  if (told == notes_.end())
    notes_.push_back(begin + pod_cidr);
  else if (told->find(pod_cidr) == told->npos)
    *told += " and " + pod_cidr;
}

}  // namespace overlane::witness
