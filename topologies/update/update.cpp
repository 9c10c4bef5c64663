#include "topologies/update/update.h"

#include "topologies/cni/profiles.h"
#include "topologies/update/update_checks.h"

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

}  // namespace overlane::update
