#include "topologies/update/update.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/cni/profiles.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/addressing.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::update {

using rules::RuleReport;

const provider::Profile& SpecUpdate::provider() const {
  return provider::profile_of(after.shoot.provider ? after.shoot.provider->value : "");
}

Findings judge_object(const ObjectUpdate& update, const manifest::PodNetworkSpec& after) {
  RuleReport report(after);
  report.run(object_checks(), update);
  return report.take();
}

Findings judge_update(const ObjectUpdate& object, const manifest::PodNetworkSpec& before,
                      const manifest::PodNetworkSpec& after, const derive::DeriveOptions& options) {
  const SpecUpdate update{.object = object,
                          .before = before,
                          .after = after,
                          .landscape = options.landscape,
                          .stage = derive::stage_of(before, options.stage)};
  RuleReport report(after);
  report.run(object_checks(), object);
  report.run(field_checks(), update);
  report.run(infrastructure_checks(), update);
  report.run(overlay_checks(), update);
  if (any_at_or_above(report.findings(), Severity::Error)) return report.take();

  derive::DeriveOptions then = options;
  const manifest::PodNetworkSpec admitted = admitted_update(before, after, options, then.stage);
  const auto old_dataplane = derive::derive(before, options);
  const auto new_dataplane = derive::derive(admitted, then);
  if (!old_dataplane || !new_dataplane) return report.take();
  const cni::SwitchInputs change{.spec = after,
                                 .landscape = options.landscape,
                                 .before = *old_dataplane,
                                 .after = *new_dataplane};
  if (change.is_known() && change.before.agent == change.after.agent) {
    const cni::Profile& cni = cni::profile_of(change.after.agent);
    if (cni.switch_lints != nullptr) report.run(cni.switch_lints(), change);
  }
  report.run(switch_lints(), change);
  report.run(family_lints(), change);
  return report.take();
}

std::vector<const rules::Rule*> rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(object_checks(), rules);
  list_rules(field_checks(), rules);
  list_rules(infrastructure_checks(), rules);
  list_rules(overlay_checks(), rules);
  for (const cni::Profile* cni : cni::profiles())
    if (cni->switch_lints != nullptr) list_rules(cni->switch_lints(), rules);
  list_rules(switch_lints(), rules);
  list_rules(family_lints(), rules);
  return rules;
}

namespace {

using document::Kind;
using document::Value;

bool same_scalar(const Value& a, const Value& b) {
  if (a.scalar_type() != b.scalar_type()) return false;
  if (const auto number = a.as_number()) return number == b.as_number();
  if (const auto boolean = a.as_bool()) return boolean == b.as_bool();
  return a.text() == b.text();
}

bool same_list(const Value& a, const Value& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value);
}

/// Whether every entry of the mapping `a` has an equal value in `b`.
bool within(const Value& a, const Value& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const Value& entry) { return same_value(entry, b[entry.key()]); });
}

}  // namespace

bool same_value(const Value& a, const Value& b) {
  if (!a || !b) return !a && !b;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::Null:
      return true;
    case Kind::Scalar:
      return same_scalar(a, b);
    case Kind::Sequence:
      return same_list(a, b);
    case Kind::Mapping:
      return within(a, b) && within(b, a);
  }
  return false;
}

namespace {

using effective::Stage;
using manifest::PodNetworkSpec;
using provider::NewOverlay;

bool has_overlay_key(const PodNetworkSpec& spec) {
  return manifest::overlay_of(spec).has_value();
}

/// `spec` with an overlay block in its NetworkConfig, as a provider's admission writes it. The
/// values have `writer` as their file.
PodNetworkSpec with_overlay(const PodNetworkSpec& spec, std::string_view writer, bool enabled,
                            bool pod_routes) {
  const document::Stream patch =
      document::parse(fmt::format("overlay: {{enabled: {}{}}}", enabled,
                                  pod_routes ? ", createPodRoutes: true" : ""),
                      std::string(writer));
  return manifest::with_network_config(spec, patch.documents.front().root());
}

PodNetworkSpec with_old_overlay(const PodNetworkSpec& before, const PodNetworkSpec& after,
                                std::string_view writer) {
  const auto block = manifest::overlay_of(before);
  if (!block) return after;
  const bool enabled = block->value.enabled && block->value.enabled->value;
  const auto& pod_routes = block->value.create_pod_routes;
  return with_overlay(after, writer, enabled, pod_routes && pod_routes->value);
}

}  // namespace

bool keeps_overlay_key(const provider::Profile& provider, std::string_view network_type) {
  switch (provider.admission.new_overlay) {
    case NewOverlay::Untouched:
      return false;
    case NewOverlay::OffForCilium:
      return provider.admission.writes_new_overlay_of(network_type);
    case NewOverlay::Off:
    case NewOverlay::ByLandscape:
      return true;
  }
  return false;
}

bool switches_overlay_off_silently(const PodNetworkSpec& before, const PodNetworkSpec& after,
                                   const provider::Profile& provider,
                                   const effective::Landscape& landscape, Stage stage) {
  if (provider.admission.new_overlay != NewOverlay::ByLandscape || stage != Stage::Live ||
      has_overlay_key(before) || has_overlay_key(after))
    return false;
  const std::string& type = after.type.value;
  return (type == "calico" && !landscape.openstack_calico_overlay) ||
         (type == "cilium" && !landscape.openstack_cilium_overlay);
}

PodNetworkSpec admitted_update(const PodNetworkSpec& before, const PodNetworkSpec& after,
                               const derive::DeriveOptions& options, derive::StageChoice& stage) {
  const provider::Profile& provider =
      provider::profile_of(after.shoot.provider ? after.shoot.provider->value : "");
  const Stage old_stage = derive::stage_of(before, options.stage);
  // The new object also has the values that admission wrote when the old one was created.
  stage = old_stage == Stage::Live ? derive::StageChoice::Live : derive::StageChoice::Create;
  PodNetworkSpec admitted = after;
  if (has_overlay_key(after)) {
    // Admission keeps the key.
  } else if (switches_overlay_off_silently(before, after, provider, options.landscape, old_stage)) {
    admitted = with_overlay(after, provider.admission.mutator.text(), false, true);
  } else if (has_overlay_key(before) && keeps_overlay_key(provider, after.type.value)) {
    admitted = with_old_overlay(before, after, provider.admission.mutator.text());
  }
  admitted.is_changed = true;
  return admitted;
}

namespace {

void check_deleted(const ObjectUpdate& update, RuleReport& report) {
  const document::Value deleted = update.before.metadata["deletionTimestamp"];
  if (deleted && !same_value(update.before.spec, update.after.spec))
    report.add("metadata", update.after.metadata.place(),
               "it is being deleted: its spec may not change");
}

void check_networking(const ObjectUpdate& update, RuleReport& report) {
  if (update.before.spec["networking"] && !update.after.spec["networking"])
    report.add("spec.networking may not be removed once it is set");
}

constexpr Check<ObjectUpdate> kObjectChecks[] = {
    {{.id = "spec-changed-in-deletion",
      .section = "N6",
      .title = "The spec of an object in deletion changes.",
      .why = "With a deletionTimestamp, validation accepts no change of the spec.",
      .remedy = "wait for the deletion, and create the object again",
      .source = "gardener/gardener pkg/api/extensions/validation/network.go; "
                "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_deleted},
    {{.id = "networking-removed",
      .section = "§1.2",
      .title = "The networking of a shoot is removed after it was set.",
      .why = "Validation refuses an update without it; only shoots without workers may be created "
             "without it.",
      .remedy = "keep spec.networking",
      .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_networking},
};

}  // namespace

std::span<const Check<ObjectUpdate>> object_checks() {
  return kObjectChecks;
}

namespace {

using manifest::Field;

constexpr const char* kShootValidation = "gardener/gardener pkg/api/core/validation/shoot.go";
constexpr const char* kBothValidations =
    "gardener/gardener pkg/api/extensions/validation/network.go; "
    "gardener/gardener pkg/api/core/validation/shoot.go";

void check_type(const SpecUpdate& in, RuleReport& report) {
  if (in.before.type.value != in.after.type.value)
    report.add(in.after.type, fmt::format("the network type may not change from {} to {}",
                                          in.before.type.value, in.after.type.value));
}

/// Reports a range that changes. A removed range gives an assumed finding, because admission or
/// `kubectl apply` may restore it with the same value.
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

/// The families that validation compares: a Shoot's after defaulting, a Network's as written.
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

/// Reports a changed IPv4 node mask. Gardener writes the mask into the object at creation, even if
/// it is derived from maxPods, so that an absent mask counts with its derived value.
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

namespace {

using rules::Enforcer;

void check_removed_key(const SpecUpdate& in, RuleReport& report) {
  const auto before = manifest::overlay_of(in.before);
  const auto after = manifest::overlay_of(in.after);
  if (!before || after || !keeps_overlay_key(in.provider(), in.after.type.value)) return;
  const bool on = before->value.enabled && before->value.enabled->value;
  report.add(before->path, in.after.place,
             fmt::format("the overlay key is removed, but admission of provider {} restores it: "
                         "overlay.enabled stays {}",
                         in.provider().name, on));
}

void check_silent_switch(const SpecUpdate& in, RuleReport& report) {
  if (!switches_overlay_off_silently(in.before, in.after, in.provider(), in.landscape, in.stage) ||
      same_value(in.object.before.spec, in.object.after.spec))
    return;
  report.add(
      "spec.networking.providerConfig", in.after.place,
      fmt::format(
          "neither the old nor the new object has an overlay key: admission of provider {} writes "
          "overlay.enabled: false with this change, and the running shoot loses its overlay",
          in.provider().name));
}

constexpr Check<SpecUpdate> kOverlayChecks[] = {
    {{.id = "overlay-key-removed",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Admission restores an overlay key that the manifest removes.",
      .why = "The providers' admission restores the old value in an update without the key: "
             "removing it has no effect.",
      .remedy = "write overlay.enabled with the intended value",
      .source = "gardener-extension-provider-<name> pkg/admission/mutator/shoot.go"},
     check_removed_key},
    {{.id = "silent-overlay-off",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A live OpenStack shoot does not say whether it has an overlay.",
      .why =
          "Where the landscape's default is routed, any change of the spec of a shoot without the "
          "key writes overlay.enabled: false and createPodRoutes: true: an unintended migration.",
      .remedy = "write overlay.enabled: true before any other change",
      .source = "gardener-extension-provider-openstack pkg/admission/mutator/shoot.go"},
     check_silent_switch},
};

}  // namespace

std::span<const Check<SpecUpdate>> overlay_checks() {
  return kOverlayChecks;
}

}  // namespace overlane::update
