#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace overlane::derive::testing {

/// A whole Shoot manifest from the parts that a rule is about. Every part is the inside of a flow
/// mapping; the workers are a flow list.
struct RuleShoot {
  std::string provider = "equinix";
  std::string type = "calico";
  std::string config = "overlay: {enabled: false}";
  std::string families;  ///< "IPv4, IPv6".
  std::string networking = "pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: 10.250.0.0/16";
  std::string infrastructure;
  std::string control_plane;
  std::string workers = "{name: w, minimum: 2, maximum: 3}";
  std::string kubernetes;
  std::string spec;                    ///< Further fields of the spec.
  std::string status;                  ///< Makes the shoot a live one.
  bool live = false;                   ///< Makes it a live one without a status.
  std::vector<const char*> landscape;  ///< "openstack.ovn=true".
  std::string others;                  ///< Further documents.
  std::string document;                ///< Instead of all this, except for `landscape`.

  std::string yaml() const;
};

/// One rule, broken and kept.
struct RuleRow {
  std::string section;  ///< Rule::section.
  std::string rule;
  RuleShoot broken;
  RuleShoot sound;
  std::vector<std::string> also;  ///< Other rules that only the broken one breaks.
};

inline void PrintTo(const RuleRow& row, std::ostream* out) {
  *out << row.section << " " << row.rule << "\n" << row.broken.yaml();
}

std::span<const RuleRow> range_rule_rows();
std::span<const RuleRow> provider_rule_rows();
std::span<const RuleRow> infrastructure_rule_rows();
std::span<const RuleRow> route_rule_rows();
std::span<const RuleRow> fabric_rule_rows();
std::span<const RuleRow> migration_rule_rows();
std::span<const RuleRow> calico_rule_rows();
std::span<const RuleRow> cilium_rule_rows();

/// Returns the rows of all functions above.
std::vector<RuleRow> all_rule_rows();

}  // namespace overlane::derive::testing
