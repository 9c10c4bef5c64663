#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "topologies/derive/derive.h"

namespace overlane::update::testing {

/// One update, and whether a rule reports it.
struct UpdateRow {
  const char* rule;
  bool broken;       ///< Whether a finding of the rule is expected.
  const char* what;  ///< With the section: "N7: another pod range".
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
