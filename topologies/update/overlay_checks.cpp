#include <fmt/format.h>

#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/update/admitted.h"
#include "topologies/update/same_value.h"
#include "topologies/update/update_tables.h"

namespace overlane::update {
namespace {

using rules::Enforcer;
using rules::RuleReport;

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
