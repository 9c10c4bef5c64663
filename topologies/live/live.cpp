#include "topologies/live/live.h"

#include "topologies/live/live_tables.h"

namespace overlane::live {

Findings compare(const LiveInputs& inputs) {
  rules::RuleReport report(inputs.spec);
  report.run(input_checks(), inputs);
  report.run(node_checks(), inputs);
  if (inputs.expected.opaque) return report.take();
  for (const ObservedCni& one : inputs.observed.cnis)
    if (one.cni->agent == inputs.expected.agent)
      one.objects->compare(inputs, inputs.observed.nodes, report);
  return report.take();
}

std::vector<const rules::Rule*> rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(input_checks(), rules);
  list_rules(node_checks(), rules);
  for (const cni::Profile* cni : cni::profiles()) {
    const auto own = cni->live.rules();
    rules.insert(rules.end(), own.begin(), own.end());
  }
  return rules;
}

}  // namespace overlane::live
