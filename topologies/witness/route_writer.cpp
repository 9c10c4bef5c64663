#include "topologies/witness/route_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace overlane::witness {
namespace {

using effective::Provider;
using node::FabricRouteOwner;
using node::FabricTarget;

/// What becomes of one list of routes that two shoots' controllers write.
struct SharedTable {
  Provider provider = Provider::Other;
  /// A controller takes out what it does not know inside its shoot's pod ranges. Else each leaves
  /// the other's routes alone, and of one destination the last route counts.
  bool deletes_foreign = false;
  /// A route inside the network's own range is taken only for the very range of a subnet.
  bool keeps_local = false;
  std::string_view told;  ///< `{}`: the shoot whose route counts.
};

constexpr std::array kSharedTables = {
    // aws-custom-route-controller pkg/updater/routes.go; Amazon VPC user guide, "Subnet route
    // tables".
    SharedTable{
        Provider::Aws, true, true,
        "the route controller of {} passed last: inside its own pod range it takes out what "
        "it does not know, until the other one passes"},
    // kubernetes/cloud-provider controllers/route.
    SharedTable{
        Provider::Azure, true, false,
        "the route controller of {} passed last: inside its own pod range it takes out what "
        "it does not know, until the other one passes"},
    // cloud-provider-openstack pkg/openstack/routes.go.
    SharedTable{Provider::OpenStack, true, false,
                "the route controller of {} passed last: inside its own pod range it takes the "
                "other's routes for black holes and out, until the other one passes"},
    // Each cluster knows its routes by their names, and all have priority 1000.
    SharedTable{Provider::Gcp, false, false,
                "both shoots' routes stand with one priority, and this packet's hash takes that of "
                "{}"},
    // cloud-provider-alibaba-cloud pkg/controller/route/manager.go.
    SharedTable{Provider::AliCloud, false, false,
                "a destination stands once in the table, and {}'s nodes came to the slice first"},
    SharedTable{Provider::Other, false, false,
                "both shoots' nodes announce the destination, and the network takes what {} "
                "announces"},
};

const SharedTable& shared_table(Provider provider) {
  const auto row = std::ranges::find(kSharedTables, provider, &SharedTable::provider);
  return row == kSharedTables.end() ? kSharedTables.back() : *row;
}

}  // namespace

std::vector<Wanted> controller_routes(const node::FabricState& fabric) {
  std::vector<Wanted> list;
  for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table) {
    for (const auto& [destination, route] : fabric.route_tables[table].routes)
      if (route.owner == FabricRouteOwner::RouteController)
        list.push_back({table, destination, route});
  }
  return list;
}

RouteWriter::RouteWriter(node::FabricState& fabric, Provider provider)
    : fabric_(fabric), provider_(provider) {}

void RouteWriter::write(const std::vector<Wanted>& first, const std::vector<Wanted>& last,
                        const std::vector<IpPrefix>& pods, const std::string& last_name) {
  const SharedTable& list = shared_table(provider_);
  bool contend = false;
  for (const Wanted& wanted : first) {
    const bool shared = std::ranges::find(last, wanted.table, &Wanted::table) != last.end();
    const bool inside = std::ranges::any_of(
        pods, [&](const IpPrefix& range) { return range.contains(wanted.destination); });
    const bool is_taken_out = shared && inside && list.deletes_foreign;
    if (!is_taken_out) write(wanted);
    contend |=
        is_taken_out || std::ranges::any_of(last, [&](const Wanted& other) {
          return other.table == wanted.table && other.destination.overlaps(wanted.destination);
        });
  }
  if (contend) told_.push_back(fmt::format(fmt::runtime(list.told), last_name));
  for (const Wanted& wanted : last)
    write(wanted);
}

void RouteWriter::write(const Wanted& wanted) {
  if (shared_table(provider_).keeps_local && hides_local(wanted))
    return refuse(wanted, "takes a route inside the network's range only for a whole subnet");
  const auto change = node::set_route(fabric_, wanted.table, wanted.destination, wanted.route);
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
  const std::string slice = fmt::format("{} of {}", wanted.destination.to_string(),
                                        fabric_.instances[wanted.route.instance].name);
  const auto told =
      std::ranges::find_if(told_, [&](const std::string& text) { return text.starts_with(begin); });
  if (told == told_.end())
    told_.push_back(begin + slice);
  else if (told->find(slice) == told->npos)
    *told += " and " + slice;
}

}  // namespace overlane::witness
