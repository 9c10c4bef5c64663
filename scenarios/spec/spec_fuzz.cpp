// Decodes files of Overlane's own kinds: no input crashes, and every error is a finding with a
// location.

#include <string>

#include "scenarios/spec/cost_profile.h"
#include "scenarios/spec/migration.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/topology_file.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/testing/same_tree.h"

namespace overlane::spec {
namespace {

using document::testing::require;

template <typename T>
void require_answer(const Result<T, Findings>& decoded) {
  if (decoded) return;
  require(any_at_or_above(decoded.error(), Severity::Error), "what is refused has an error");
  for (const Finding& finding : decoded.error())
    require(finding.place.line >= 1 && !finding.rule.empty(), "a finding has a place");
}

void check(const std::string& text) {
  for (const document::Tree& tree : document::parse(text, "x.yaml").documents) {
    require_answer(decode_scenario(tree));
    require_answer(decode_topology(tree));
    require_answer(decode_cost_profile(tree));
    require_answer(decode_migration_strategy(tree));
  }
}

}  // namespace
}  // namespace overlane::spec

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::spec::check(std::string(data, data + size));
  return 0;
}
