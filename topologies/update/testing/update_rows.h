#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "topologies/derive/derive.h"

namespace overlane::update::testing {

/// A row of the tests of the update rules: an update, and whether a rule reports it. `before` and
/// `after` are manifests in YAML.
struct UpdateRow {
  const char* rule;
  bool broken;       ///< Whether a finding of the rule is expected.
  const char* what;  ///< Section and case: "N7: another pod range".
  std::string before;
  std::string after;
  derive::DeriveOptions options = {};
};

inline void PrintTo(const UpdateRow& row, std::ostream* out) {
  *out << row.rule << ": " << row.what << "\n" << row.before << "---\n" << row.after;
}

std::vector<UpdateRow> field_rows();
std::vector<UpdateRow> infrastructure_rows();
std::vector<UpdateRow> switch_rows();

}  // namespace overlane::update::testing
