// Arbitrary manifests, also NetworkProvider files: every decoded network can be examined, printed
// and encoded, and every finding has a rule and a location.

#include <string>

#include <nlohmann/json.hpp>

#include "topologies/derive/testing/outline_differences.h"
#include "topologies/document/testing/same_tree.h"
#include "topologies/explain/explanation.h"
#include "topologies/explain/testing/rendered.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::explain {

using derive::DeriveOptions;
using derive::Examination;
using derive::examine;
using derive::Outline;
using derive::outline;
using derive::StageChoice;
using derive::take_network_providers;
namespace {

using document::testing::require;
using testing::rendered;

void require_named(const Findings& findings) {
  for (const Finding& finding : findings) {
    require(!finding.rule.empty() && !finding.message.empty(), "a finding says what is wrong");
    require(finding.place.line >= 1, "a finding has a place");
  }
}

void check(const std::string& text) {
  document::Stream stream = document::parse(text, "x.yaml");
  for (const StageChoice stage : {StageChoice::Create, StageChoice::Live}) {
    DeriveOptions options(stage);
    document::Stream manifests = stream;
    take_network_providers(manifests, options.declarative);
    const Explanation explanation = explain(manifests, options);
    require_named(explanation.findings);
    for (const effective::EffectiveDataplane& network : explanation.networks)
      for (const effective::Reason& reason : network.reasons)
        require(!reason.because.empty(), "every value has a reason");
    require(!rendered(explanation, Form::Json).empty(), "an explanation can be encoded");
    static_cast<void>(rendered(explanation));
    const auto set = manifest::decode(manifests, manifest::Detail::All);
    require_named(set.findings);
    for (const manifest::PodNetworkSpec& spec : set.clusters) {
      const Examination examined = examine(spec, options);
      require_named(examined.findings);
      const Outline outlined = outline(spec, options);
      require(
          !examined.network || derive::testing::differences(outlined, *examined.network).empty(),
          "an outline says the same");
    }
  }
}

}  // namespace
}  // namespace overlane::explain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::explain::check(std::string(data, data + size));
  return 0;
}
