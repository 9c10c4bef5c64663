#include "topologies/effective/node_subnets.h"

#include <algorithm>
#include <optional>

#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::effective {
namespace {

using manifest::Infrastructure;

std::optional<Ipv4Prefix> ipv4_of(const manifest::Field<IpPrefix>& range) {
  return range ? range->value.ipv4() : std::nullopt;
}

/// Ranges of the nodes' subnets in an InfrastructureStatus; those of AWS, GCP and OpenStack have
/// only ids.
std::vector<NodeSubnet> observed_subnets(const Infrastructure& infrastructure) {
  std::vector<NodeSubnet> subnets;
  for (const manifest::ObservedSubnet& subnet : infrastructure.observed.subnets) {
    const auto cidr = ipv4_of(subnet.cidr);
    if (cidr && subnet.purpose == manifest::kNodesPurpose) subnets.push_back({subnet.zone, *cidr});
  }
  return subnets;
}

std::vector<NodeSubnet> configured_subnets(const Infrastructure& infrastructure) {
  std::vector<NodeSubnet> subnets;
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (const auto workers = ipv4_of(zone.workers)) subnets.push_back({zone.name, *workers});
  if (const auto workers = ipv4_of(infrastructure.workers_cidr)) subnets.push_back({"", *workers});
  return subnets;
}

/// The one IPv4 range of the nodes that the shoot's status has.
std::vector<NodeSubnet> only_node_range(const manifest::ShootSpec& shoot) {
  std::vector<NodeSubnet> subnets;
  for (const auto& range : shoot.status_nodes)
    if (const auto ipv4 = range.value.ipv4()) subnets.push_back({"", *ipv4});
  if (subnets.size() != 1) subnets.clear();
  return subnets;
}

}  // namespace

const NodeSubnet* NodeSubnets::find(std::string_view zone) const {
  const auto found = std::ranges::find(given, zone, &NodeSubnet::zone);
  return found == given.end() ? nullptr : &*found;
}

bool has_subnets_by_zone(const Infrastructure& infrastructure) {
  const auto has_zone = [](const manifest::ObservedSubnet& subnet) {
    return subnet.purpose == manifest::kNodesPurpose && !subnet.zone.empty();
  };
  return !infrastructure.zones.empty() ||
         std::ranges::any_of(infrastructure.observed.subnets, has_zone);
}

NodeSubnets node_subnets(const manifest::ShootSpec& shoot, const provider::Profile& provider) {
  const Infrastructure& infrastructure = shoot.infrastructure;
  NodeSubnets subnets{.by_zone = has_subnets_by_zone(infrastructure), .given = {}};
  const bool is_one = provider.node_subnets.is_one(subnets.by_zone);
  const auto take = [&](const std::vector<NodeSubnet>& known) {
    for (const NodeSubnet& subnet : known)
      if (subnet.zone.empty() == is_one && subnets.find(subnet.zone) == nullptr)
        subnets.given.push_back(subnet);
  };
  take(observed_subnets(infrastructure));
  take(configured_subnets(infrastructure));
  if (is_one) take(only_node_range(shoot));
  return subnets;
}

}  // namespace overlane::effective
