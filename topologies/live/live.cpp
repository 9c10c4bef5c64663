#include "topologies/live/live.h"

#include <algorithm>

#include "topologies/live/live_tables.h"

namespace overlane::live {

bool LiveInputs::assumes(std::string_view field) const {
  const auto reason = std::ranges::find(expected.reasons, field, &effective::Reason::field);
  return reason != expected.reasons.end() && reason->assumed;
}

Findings compare(const LiveInputs& inputs) {
  rules::RuleReport report(inputs.spec);
  report.run(input_checks(), inputs);
  report.run(node_checks(), inputs);
  if (inputs.expected.opaque) return report.take();
  if (inputs.expected.agent == effective::NodeAgent::CalicoNode) {
    report.run(pool_checks(), inputs);
    report.run(felix_checks(), inputs);
  } else {
    report.run(cilium_checks(), inputs);
  }
  return report.take();
}

std::vector<const rules::Rule*> rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(input_checks(), rules);
  list_rules(node_checks(), rules);
  list_rules(pool_checks(), rules);
  list_rules(felix_checks(), rules);
  list_rules(cilium_checks(), rules);
  return rules;
}

}  // namespace overlane::live
