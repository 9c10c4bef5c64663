#include "topologies/explain/testing/rule_row.h"

namespace overlane::explain::testing {

std::span<const RuleRow> cilium_rule_rows() {
  return {};
}

}  // namespace overlane::explain::testing
