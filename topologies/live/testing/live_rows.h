#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace overlane::live::testing {

/// A shoot, its cluster's objects, and whether a rule reports them.
struct LiveRow {
  const char* rule;
  bool broken;       ///< Whether there is a finding of the rule.
  const char* what;  ///< With the section: "§2.2: an IPIP pool of a routed shoot".
  std::string shoot;
  std::string cluster;
};

inline void PrintTo(const LiveRow& row, std::ostream* out) {
  *out << row.rule << ": " << row.what << "\n" << row.shoot << "---\n" << row.cluster;
}

std::vector<LiveRow> node_rows();
std::vector<LiveRow> calico_rows();
std::vector<LiveRow> cilium_rows();

}  // namespace overlane::live::testing
