// RoutingDomains files: what is wrong with them has a rule and a place, alone and together, and a
// file given twice says no more than once.

#include <string>

#include "topologies/document/testing/same_tree.h"
#include "topologies/domains/merge.h"

namespace overlane::domains {
namespace {

using document::testing::require;

void require_named(const Findings& findings) {
  for (const Finding& finding : findings) {
    require(!finding.rule.empty() && !finding.message.empty(), "a finding says what is wrong");
    require(finding.place.line >= 1, "a finding has a place");
  }
}

void check(const std::string& text) {
  document::Stream stream = document::parse(text, "x.yaml");
  stream.findings.clear();
  std::vector<DeclarationFile> files;
  take_declarations(stream, files);
  require_named(stream.findings);
  const Merged once = merge(files);
  require_named(once.findings);
  if (!once.findings.empty()) return;

  const std::vector<DeclarationFile> same = files;
  files.insert(files.end(), same.begin(), same.end());
  const Merged twice = merge(files);
  require(twice.findings.empty(), "a file does not contradict itself");
  const Declarations& a = once.declarations;
  const Declarations& b = twice.declarations;
  require(a.projects.size() == b.projects.size() && a.networks.size() == b.networks.size() &&
              a.connections.size() == b.connections.size() &&
              a.reserved.size() == b.reserved.size(),
          "what is said twice alike counts once");
}

}  // namespace
}  // namespace overlane::domains

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::domains::check(std::string(data, data + size));
  return 0;
}
