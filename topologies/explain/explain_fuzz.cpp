// Documents of every kind and shape, with the NetworkConfigs of every network type: nothing
// crashes, and every finding has a rule and a place.

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "topologies/document/testing/same_tree.h"
#include "topologies/explain/explanation.h"

namespace overlane::explain {
namespace {

using document::testing::require;

void check(const std::string& text) {
  const document::Stream stream = document::parse(text, "x.yaml");
  for (const StageChoice stage : {StageChoice::Auto, StageChoice::Create, StageChoice::Live}) {
    const Explanation explanation = explain(stream, stage);
    for (const Finding& finding : explanation.findings)
      require(!finding.rule.empty() && finding.place.line >= 1, "a finding has rule and place");
    for (const effective::EffectiveDataplane& network : explanation.networks)
      for (const effective::Reason& reason : network.reasons)
        require(!reason.because.empty(), "every value has a reason");
    require(!print(explanation).empty() || explanation.networks.empty(), "it is printed");
    const std::string json =
        encode(explanation).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::strict);
    require(json.size() > 2, "it is encoded");
  }
}

}  // namespace
}  // namespace overlane::explain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::explain::check(std::string(data, data + size));
  return 0;
}
