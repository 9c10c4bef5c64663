#include "topologies/derive/testing/rule_row.h"

namespace overlane::derive::testing {
namespace {

/// ", key: {inside}"; empty if `inside` is empty.
std::string part(const std::string& key, const std::string& inside, const char* brackets = "{}") {
  return inside.empty() ? "" : ", " + key + ": " + brackets[0] + inside + brackets[1];
}

}  // namespace

std::string RuleShoot::yaml() const {
  if (!document.empty()) return document;
  std::string text =
      "apiVersion: core.gardener.cloud/v1beta1\n"
      "kind: Shoot\n"
      "metadata: {name: one, namespace: garden-dev" +
      std::string(live ? ", uid: 1-2-3" : "") + "}\n";
  text += "spec: {provider: {type: " + provider + part("infrastructureConfig", infrastructure) +
          part("controlPlaneConfig", control_plane) + part("workers", workers, "[]") + "}";
  text += ", networking: {type: " + type + (networking.empty() ? "" : ", ") + networking +
          part("ipFamilies", families, "[]") + part("providerConfig", config) + "}";
  text += part("kubernetes", kubernetes) + (spec.empty() ? "" : ", ") + spec + "}\n";
  if (!status.empty()) text += "status: {" + status + "}\n";
  return others.empty() ? text : text + "---\n" + others;
}

std::vector<RuleRow> all_rule_rows() {
  std::vector<RuleRow> all;
  for (const auto rows :
       {range_rule_rows, provider_rule_rows, infrastructure_rule_rows, route_rule_rows,
        fabric_rule_rows, migration_rule_rows, calico_rule_rows, cilium_rule_rows})
    all.insert(all.end(), rows().begin(), rows().end());
  return all;
}

}  // namespace overlane::derive::testing
