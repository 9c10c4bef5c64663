// Documents of every kind and form: no crash, and every document is used or reported.

#include <cstdint>
#include <string>

#include "topologies/document/syntax/parse.h"
#include "topologies/document/testing/same_tree.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::manifest {
namespace {

using document::testing::require;

void check_findings(const Findings& findings) {
  for (const Finding& finding : findings) {
    require(!finding.rule.empty() && !finding.message.empty(), "a finding says something");
    require(finding.place.line >= 1, "a finding has a place");
    require(finding.message.find('\n') == std::string::npos, "a message is one line");
  }
}

void check_spec(const PodNetworkSpec& spec) {
  require(!spec.type.value.empty(), "a network has a type");
  require(!spec.sources.empty(), "a network comes from somewhere");
}

void check(const std::string& text) {
  const document::Stream stream = document::parse(text, "x.yaml");
  const ManifestSet summary = decode(stream);
  const ManifestSet all = decode(stream, Detail::All);
  check_findings(summary.findings);
  check_findings(all.findings);
  for (const PodNetworkSpec& spec : all.clusters)
    check_spec(spec);
  for (const PodNetworkSpec& spec : summary.clusters)
    require(!spec.object.name.empty(), "a network has a name");
  require(summary.clusters.size() <= all.clusters.size(), "a summary leaves refused ones out");
  require(stream.documents.empty() || !all.clusters.empty() || !all.findings.empty(),
          "there is an answer");
  require(decode(stream).findings == summary.findings, "the answer is always the same");
}

}  // namespace
}  // namespace overlane::manifest

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::manifest::check(std::string(data, data + size));
  return 0;
}
