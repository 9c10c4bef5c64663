#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/effective/addressing.h"
#include "topologies/update/update_tables.h"

namespace overlane::update {
namespace {

using manifest::Field;
using manifest::PodNetworkSpec;
using rules::RuleReport;

constexpr const char* kShootValidation = "gardener/gardener pkg/api/core/validation/shoot.go";
constexpr const char* kBothValidations =
    "gardener/gardener pkg/api/extensions/validation/network.go; "
    "gardener/gardener pkg/api/core/validation/shoot.go";

void check_type(const SpecUpdate& in, RuleReport& report) {
  if (in.before.type.value != in.after.type.value)
    report.add(in.after.type, fmt::format("the network type may not change from {} to {}",
                                          in.before.type.value, in.after.type.value));
}

/// Admission or `kubectl apply` may restore a removed range with the same value.
void check_range(const Field<IpPrefix>& before, const Field<IpPrefix>& after, const char* name,
                 const SpecUpdate& in, RuleReport& report) {
  if (!before) return;
  if (!after) {
    report.add_assumed(before->path, in.after.place,
                       fmt::format("the {} {} are removed; unless admission restores the same "
                                   "range, the update is refused",
                                   name, before->value.to_string()),
                       "keep the range as it is");
  } else if (before->value != after->value) {
    report.add(*after, fmt::format("the range of the {} may not change from {} to {}", name,
                                   before->value.to_string(), after->value.to_string()));
  }
}

void check_pods(const SpecUpdate& in, RuleReport& report) {
  check_range(in.before.pods, in.after.pods, "pods", in, report);
}

void check_services(const SpecUpdate& in, RuleReport& report) {
  check_range(in.before.services, in.after.services, "services", in, report);
}

using FamilyList = std::vector<std::string>;

/// As validation compares them: those of a Shoot after defaulting, those of a Network without.
FamilyList compared_families(const PodNetworkSpec& spec) {
  if (spec.ip_families) return spec.ip_families->value;
  return spec.object.kind == "Network" ? FamilyList{} : FamilyList{"IPv4"};
}

void check_families(const SpecUpdate& in, RuleReport& report) {
  const FamilyList before = compared_families(in.before);
  const FamilyList after = compared_families(in.after);
  const FamilyList single = {"IPv4"};
  const FamilyList dual = {"IPv4", "IPv6"};
  if (before == after || (before == single && after == dual) || (before == dual && after == single))
    return;
  const std::string message = fmt::format("ipFamilies may not change from [{}] to [{}]",
                                          fmt::join(before, ", "), fmt::join(after, ", "));
  if (in.after.ip_families)
    report.add(*in.after.ip_families, message);
  else
    report.add(in.before.ip_families->path, in.after.place, message);
}

std::int64_t node_mask(const PodNetworkSpec& spec) {
  const auto& provider = spec.shoot.provider;
  return effective::decide_addressing(spec, provider::profile_of(provider ? provider->value : ""),
                                      effective::Families(spec))
      .spec_node_mask.value;
}

/// The mask is written into the object at creation, also if it is derived.
void check_node_mask(const SpecUpdate& in, RuleReport& report) {
  if (in.before.object.kind == "Network") return;
  const Field<std::int64_t>& before = in.before.shoot.node_cidr_mask_size;
  const Field<std::int64_t>& after = in.after.shoot.node_cidr_mask_size;
  const std::int64_t old_mask = node_mask(in.before);
  const std::int64_t new_mask = node_mask(in.after);
  if (old_mask == new_mask) return;
  // A change of families alone is not a change of the mask.
  if (!before && !after && compared_families(in.before) != compared_families(in.after)) return;
  const std::string message =
      fmt::format("nodeCIDRMaskSize may not change from {} to {}", old_mask, new_mask);
  if (before && after)
    report.add(*after, message);
  else if (after)
    report.add_assumed(after->path, after->place,
                       message + "; the old one is derived from maxPods");
  else
    report.add_assumed("spec.kubernetes.kubeControllerManager.nodeCIDRMaskSize", in.after.place,
                       message + ", which follows from maxPods now",
                       fmt::format("write nodeCIDRMaskSize: {}", old_mask));
}

void check_node_mask_ipv6(const SpecUpdate& in, RuleReport& report) {
  const Field<std::int64_t>& before = in.before.shoot.node_cidr_mask_size_ipv6;
  const Field<std::int64_t>& after = in.after.shoot.node_cidr_mask_size_ipv6;
  if (before && after && before->value != after->value)
    report.add(*after, fmt::format("nodeCIDRMaskSizeIPv6 may not change from {} to {}",
                                   before->value, after->value));
}

template <typename T>
void check_same(const Field<T>& before, const Field<T>& after, const char* name,
                RuleReport& report) {
  if (before && after && before->value != after->value)
    report.add(*after, fmt::format("the {} may not change from {} to {}", name, before->value,
                                   after->value));
}

void check_provider(const SpecUpdate& in, RuleReport& report) {
  check_same(in.before.shoot.provider, in.after.shoot.provider, "provider", report);
  check_same(in.before.shoot.region, in.after.shoot.region, "region", report);
}

constexpr Check<SpecUpdate> kFieldChecks[] = {
    {{.id = "network-type-changed",
      .section = "N7",
      .title = "The network type changes.",
      .why =
          "A running cluster cannot change its network extension; validation refuses the change.",
      .remedy = "create a new shoot",
      .source = kBothValidations},
     check_type},
    {{.id = "pods-changed",
      .section = "N7",
      .title = "The pod range changes after it was set.",
      .why = "Nodes have pod CIDRs and pods have addresses from it; validation refuses the change.",
      .remedy = "create a new shoot",
      .source = kBothValidations},
     check_pods},
    {{.id = "services-changed",
      .section = "N7",
      .title = "The service range changes after it was set.",
      .why = "Services have addresses from it, the API server's own among them; validation refuses "
             "the change.",
      .remedy = "create a new shoot",
      .source = kBothValidations},
     check_services},
    {{.id = "families-transition",
      .section = "N8",
      .title = "IP families change other than between [IPv4] and [IPv4, IPv6].",
      .why = "Validation compares the lists exactly: no transition leads to or from another order, "
             "and a Network without a list cannot even get [IPv4].",
      .remedy = "keep ipFamilies, or change between [IPv4] and [IPv4, IPv6]",
      .source = kBothValidations},
     check_families},
    {{.id = "node-mask-changed",
      .section = "§1.2",
      .title = "The node mask of a shoot changes.",
      .why = "Nodes have pod CIDRs of that size. Validation refuses the change, also of a mask "
             "that was derived from maxPods at creation.",
      .remedy = "keep nodeCIDRMaskSize",
      .source = kShootValidation},
     check_node_mask},
    {{.id = "node-mask-ipv6-changed",
      .section = "§1.2",
      .title = "The IPv6 node mask of a shoot changes after it was set.",
      .why = "Nodes have pod CIDRs of that size; validation refuses the change.",
      .remedy = "keep nodeCIDRMaskSizeIPv6",
      .source = kShootValidation},
     check_node_mask_ipv6},
    {{.id = "provider-changed",
      .section = "§1.2",
      .title = "The provider or the region of a shoot changes.",
      .why = "Its machines cannot move; validation refuses the change.",
      .remedy = "create a new shoot",
      .source = kShootValidation},
     check_provider},
};

}  // namespace

std::span<const Check<SpecUpdate>> field_checks() {
  return kFieldChecks;
}

}  // namespace overlane::update
