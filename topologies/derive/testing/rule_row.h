#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace overlane::derive::testing {

/// A whole Shoot manifest, made of the parts that a rule is about. Each part is the inside of a
/// YAML flow mapping; `workers` is the inside of a flow list.
struct RuleShoot {
  std::string provider = "equinix";
  std::string type = "calico";
  std::string config = "overlay: {enabled: false}";
  std::string families;  ///< The list ipFamilies: "IPv4, IPv6".
  std::string networking = "pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: 10.250.0.0/16";
  std::string infrastructure;
  std::string control_plane;
  std::string workers = "{name: w, minimum: 2, maximum: 3}";
  std::string kubernetes;
  std::string spec;                    ///< Further fields of the spec.
  std::string status;                  ///< If given, the shoot is live.
  bool live = false;                   ///< The shoot is live, also without a status.
  std::vector<const char*> landscape;  ///< Landscape settings: "openstack.ovn=true".
  std::string others;                  ///< Further documents.
  std::string document;                ///< Replaces all other parts except `landscape`.

  std::string yaml() const;
};

/// A row of the tests of all rules: a shoot that breaks the rule, and a shoot that does not.
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

/// The rows of all *_rule_rows() functions.
std::vector<RuleRow> all_rule_rows();

}  // namespace overlane::derive::testing
