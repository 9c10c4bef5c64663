#include <algorithm>

#include <fmt/format.h>

#include "topologies/update/update.h"

// Update rules about the InfrastructureConfig: fields of the provider's network that its extension
// does not change after creation.
namespace overlane::update {
namespace {

using manifest::Field;
using manifest::Infrastructure;
using manifest::InfrastructureZone;
using rules::RuleReport;

constexpr const char* kValidation =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/infrastructure.go";
constexpr const char* kNetworks = "spec.provider.infrastructureConfig.networks";

std::string text_of(const std::string& value) {
  return value;
}
std::string text_of(const IpPrefix& value) {
  return value.to_string();
}
std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}

/// Reports a field that differs, at its new value if there is one.
template <typename T>
void require_same(const Field<T>& before, const Field<T>& after, const SpecUpdate& in,
                  RuleReport& report) {
  if (!before && !after) return;
  if (before && after && before->value == after->value) return;
  const std::string old_text = before ? text_of(before->value) : "absent";
  const std::string new_text = after ? text_of(after->value) : "absent";
  const std::string& path = after ? after->path : before->path;
  report.add(path, after ? after->place : in.after.place,
             fmt::format("{} may not change from {} to {}", path, old_text, new_text));
}

const Infrastructure& old_of(const SpecUpdate& in) {
  return in.before.shoot.infrastructure;
}

const Infrastructure& new_of(const SpecUpdate& in) {
  return in.after.shoot.infrastructure;
}

void check_vpc(const SpecUpdate& in, RuleReport& report) {
  if (!in.provider().infrastructure.vpc_fixed) return;
  require_same(old_of(in).network_id, new_of(in).network_id, in, report);
  require_same(old_of(in).network_cidr, new_of(in).network_cidr, in, report);
}

template <typename T>
bool same(const Field<T>& a, const Field<T>& b) {
  return a.has_value() == b.has_value() && (!a || a->value == b->value);
}

bool same_subnets(const InfrastructureZone& a, const InfrastructureZone& b) {
  return same(a.workers, b.workers) && same(a.internal, b.internal) &&
         same(a.public_subnet, b.public_subnet) && same(a.workers_subnet_id, b.workers_subnet_id) &&
         same(a.internal_subnet_id, b.internal_subnet_id) &&
         same(a.public_subnet_id, b.public_subnet_id);
}

void check_zones(const SpecUpdate& in, RuleReport& report) {
  if (!in.provider().infrastructure.vpc_fixed) return;
  const auto& zones = new_of(in).zones;
  for (const InfrastructureZone& old : old_of(in).zones) {
    const auto kept = std::ranges::find(zones, old.name, &InfrastructureZone::name);
    if (kept == zones.end())
      report.add(fmt::format("{}.zones", kNetworks),
                 zones.empty() ? in.after.place : zones.front().place,
                 fmt::format("the zone {} may not be removed", old.name));
    else if (!same_subnets(old, *kept))
      report.add(fmt::format("{}.zones[{}]", kNetworks, kept - zones.begin()), kept->place,
                 fmt::format("the subnets of zone {} may not change", old.name));
  }
}

void require_covered(const Field<IpPrefix>& before, const Field<IpPrefix>& after,
                     RuleReport& report) {
  if (!before || !after || after->value.contains(before->value)) return;
  report.add(*after, fmt::format("{} may grow, but {} does not contain the old {}", after->path,
                                 after->value.to_string(), before->value.to_string()));
}

void check_vnet(const SpecUpdate& in, RuleReport& report) {
  if (in.provider().infrastructure.network_only_grows)
    require_covered(old_of(in).network_cidr, new_of(in).network_cidr, report);
}

void check_workers(const SpecUpdate& in, RuleReport& report) {
  if (in.provider().infrastructure.workers_only_grow)
    require_covered(old_of(in).workers_cidr, new_of(in).workers_cidr, report);
}

void check_mtu(const SpecUpdate& in, RuleReport& report) {
  if (in.provider().infrastructure.mtu_fixed)
    require_same(old_of(in).mtu, new_of(in).mtu, in, report);
}

void check_openstack(const SpecUpdate& in, RuleReport& report) {
  if (!in.provider().infrastructure.network_fixed) return;
  const Infrastructure& before = old_of(in);
  const Infrastructure& after = new_of(in);
  require_same(before.network_id, after.network_id, in, report);
  require_same(before.subnet_network, after.subnet_network, in, report);
  require_same(before.workers_cidr, after.workers_cidr, in, report);
  require_same(before.subnet_pool, after.subnet_pool, in, report);
  require_same(before.floating_pool, after.floating_pool, in, report);
}

void check_route_table(const SpecUpdate& in, RuleReport& report) {
  if (!in.provider().infrastructure.route_table_fixed) return;
  const Field<bool>& before = old_of(in).custom_route_table;
  const Field<bool>& after = new_of(in).custom_route_table;
  if ((before && before->value) != (after && after->value)) require_same(before, after, in, report);
}

constexpr Check<SpecUpdate> kInfrastructureChecks[] = {
    {{.id = "vpc-changed",
      .section = "§3.3",
      .title = "The VPC of a shoot changes.",
      .why = "Machines cannot move into another VPC; the provider's validator refuses the change.",
      .remedy = "keep networks.vpc",
      .source = kValidation},
     check_vpc},
    {{.id = "zones-changed",
      .section = "§3.3",
      .title = "An existing zone is changed or removed.",
      .why = "Subnets with machines in them cannot be changed or removed; the provider's validator "
             "refuses it.",
      .remedy = "keep the existing zones, and append new ones",
      .source = kValidation},
     check_zones},
    {{.id = "vnet-shrunk",
      .section = "§3.3",
      .title = "The range of the Azure vnet shrinks.",
      .why = "Subnets are in the old range; the provider's validator refuses any other change.",
      .remedy = "choose a range that contains the old one",
      .source = kValidation},
     check_vnet},
    {{.id = "workers-subnet-shrunk",
      .section = "§3.3",
      .title = "The GCP range of the workers shrinks.",
      .why = "Machines have addresses from the old range; the cloud cannot shrink a subnet, and "
             "the provider's validator refuses it.",
      .remedy = "choose a range that contains the old one",
      .source = kValidation},
     check_workers},
    {{.id = "network-mtu-changed",
      .section = "§3.3",
      .title = "The MTU of the GCP network changes.",
      .why = "All machines would have to stop at once; the provider's validator refuses it.",
      .remedy = "keep networks.mtu",
      .source = kValidation},
     check_mtu},
    {{.id = "openstack-networks-changed",
      .section = "§3.3",
      .title = "The networks of an OpenStack shoot change.",
      .why = "Router, network and subnet are created once; the provider's validator refuses any "
             "change.",
      .remedy = "keep the infrastructureConfig as it is",
      .source = kValidation},
     check_openstack},
    {{.id = "route-table-changed",
      .section = "§1.6",
      .title = "The choice of the Alibaba Cloud route table changes after creation.",
      .why = "useCustomRouteTable is read only at creation; the provider's validator refuses a "
             "later change.",
      .remedy = "keep networks.vpc.useCustomRouteTable",
      .source = kValidation},
     check_route_table},
};

}  // namespace

std::span<const Check<SpecUpdate>> infrastructure_checks() {
  return kInfrastructureChecks;
}

}  // namespace overlane::update
