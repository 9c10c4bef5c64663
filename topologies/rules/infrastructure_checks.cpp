#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::GivenRange;
using effective::NetworkInputs;
using effective::Provider;
using effective::RangeRole;
namespace {

using manifest::Field;
using manifest::Located;

/// The comparisons of the provider's validator.
const provider::Infrastructure& compared(const NetworkInputs& in) {
  return in.provider.infrastructure;
}

using Subnets = std::vector<const Located<IpPrefix>*>;

void add(const Field<IpPrefix>& field, Subnets& subnets) {
  if (field) subnets.push_back(&*field);
}

Subnets worker_subnets(const NetworkInputs& in) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  Subnets subnets;
  add(infrastructure.workers_cidr, subnets);
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    add(zone.workers, subnets);
  return subnets;
}

Subnets all_subnets(const NetworkInputs& in) {
  Subnets subnets = worker_subnets(in);
  for (const manifest::InfrastructureZone& zone : in.spec.shoot.infrastructure.zones) {
    add(zone.internal, subnets);
    add(zone.public_subnet, subnets);
  }
  return subnets;
}

template <typename Wanted>
Subnets ranges_of(const NetworkInputs& in, Wanted wanted) {
  Subnets ranges;
  for (const GivenRange& range : in.addressing.given)
    if (wanted(range.role)) ranges.push_back(range.given);
  return ranges;
}

Subnets pods_and_services(const NetworkInputs& in) {
  return ranges_of(in, [](RangeRole role) { return role != RangeRole::Nodes; });
}

Subnets nodes_of(const NetworkInputs& in) {
  return ranges_of(in, [](RangeRole role) { return role == RangeRole::Nodes; });
}

std::string written(const Located<IpPrefix>& range) {
  return fmt::format("{} {}", range.path, range.value.to_string());
}

/// Ranges of another family cannot be compared.
bool outside(const Located<IpPrefix>& inner, const Located<IpPrefix>& outer) {
  return inner.value.is_ipv4() == outer.value.is_ipv4() && !outer.value.contains(inner.value);
}

void report_outside(const Subnets& inner, const Located<IpPrefix>& outer, RuleReport& report) {
  for (const Located<IpPrefix>* subnet : inner)
    if (outside(*subnet, outer))
      report.add(*subnet, fmt::format("{} lies outside {}", written(*subnet), written(outer)));
}

void check_within_network(const NetworkInputs& in, RuleReport& report) {
  const Field<IpPrefix>& network = in.spec.shoot.infrastructure.network_cidr;
  if (!compared(in).subnets_within_network || !network) return;
  report_outside(all_subnets(in), *network, report);
  report_outside(nodes_of(in), *network, report);
}

void check_within_nodes(const NetworkInputs& in, RuleReport& report) {
  const Subnets nodes = nodes_of(in);
  if (compared(in).workers_within_nodes && !nodes.empty())
    report_outside(worker_subnets(in), *nodes.front(), report);
}

void check_disjoint_subnets(const NetworkInputs& in, RuleReport& report) {
  if (!compared(in).subnets_disjoint) return;
  const Subnets subnets = all_subnets(in);
  for (std::size_t i = 0; i < subnets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (subnets[i]->value.overlaps(subnets[j]->value))
        report.add(*subnets[i],
                   fmt::format("{} overlaps {}", written(*subnets[i]), written(*subnets[j])));
}

void compare_ranges(const NetworkInputs& in, const Subnets& subnets, RuleReport& report) {
  for (const Located<IpPrefix>* range : pods_and_services(in))
    for (const Located<IpPrefix>* subnet : subnets)
      if (range->value.overlaps(subnet->value))
        report.add(*range, fmt::format("{} overlaps {}", written(*range), written(*subnet)));
}

void check_ranges_of_network(const NetworkInputs& in, RuleReport& report) {
  Subnets network;
  add(in.spec.shoot.infrastructure.network_cidr, network);
  if (compared(in).pods_outside_network) compare_ranges(in, network, report);
}

void check_ranges_of_subnets(const NetworkInputs& in, RuleReport& report) {
  if (compared(in).pods_outside_subnets) compare_ranges(in, all_subnets(in), report);
}

void check_internal(const NetworkInputs& in, RuleReport& report) {
  const Field<IpPrefix>& internal = in.spec.shoot.infrastructure.internal_cidr;
  if (!compared(in).internal_apart || !internal) return;
  Subnets others = ranges_of(in, [](RangeRole) { return true; });
  add(in.spec.shoot.infrastructure.workers_cidr, others);
  for (const Located<IpPrefix>* other : others)
    if (internal->value.overlaps(other->value))
      report.add(*internal, fmt::format("{} overlaps {}", written(*internal), written(*other)));
}

constexpr const char* kInfrastructureValidator =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/infrastructure.go";

constexpr Check<NetworkInputs> kInfrastructureChecks[] = {
    {{.id = "subnet-outside-network",
      .section = "§3.3",
      .title = "A node range or subnet is outside the VPC or vnet that Gardener creates.",
      .why = "The validators of aws, azure and alicloud refuse an infrastructureConfig whose "
             "subnets do not fit into its own network.",
      .remedy = "choose ranges within the network, or enlarge it",
      .source = kInfrastructureValidator},
     check_within_network},
    {{.id = "workers-outside-nodes",
      .section = "§3.3",
      .title = "A workers' subnet is outside the node range.",
      .why = "Components that use networking.nodes would not cover a node outside it; the "
             "providers' validators refuse it.",
      .remedy = "enlarge networking.nodes, or choose subnets within it",
      .source = kInfrastructureValidator},
     check_within_nodes},
    {{.id = "subnets-overlap",
      .section = "§3.3",
      .title = "Subnets of the zones overlap.",
      .why = "No cloud allows overlapping subnets; the validators of aws, azure and alicloud "
             "refuse them.",
      .remedy = "give each zone its own ranges",
      .source = kInfrastructureValidator},
     check_disjoint_subnets},
    {{.id = "ranges-overlap-network",
      .section = "§3.3",
      .title = "The pod or service range overlaps the VPC or vnet that Gardener creates.",
      .why = "An address of the network could then be a pod's or service's; the validators of aws, "
             "azure and alicloud refuse it.",
      .remedy = "choose another range for the network, or for pods or services",
      .source = kInfrastructureValidator},
     check_ranges_of_network},
    {{.id = "ranges-overlap-subnets",
      .section = "§3.3",
      .title = "The pod or service range overlaps a subnet of the zones.",
      .why = "Traffic to such a subnet would reach pods or services instead; the validators of "
             "aws, azure and alicloud refuse it.",
      .remedy = "choose another range for the subnet, or for pods or services",
      .source = kInfrastructureValidator},
     check_ranges_of_subnets},
    {{.id = "internal-range-overlaps",
      .section = "§3.3",
      .title = "The GCP range for internal load balancers overlaps another range.",
      .why = "The validator refuses networks.internal where it overlaps pods, services, nodes or "
             "workers.",
      .remedy = "choose another networks.internal",
      .source = "gardener-extension-provider-gcp pkg/apis/gcp/validation/infrastructure.go"},
     check_internal},
};

}  // namespace

std::span<const Check<NetworkInputs>> infrastructure_checks() {
  return kInfrastructureChecks;
}

}  // namespace overlane::rules
