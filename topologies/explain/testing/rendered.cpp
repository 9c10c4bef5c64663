#include "topologies/explain/testing/rendered.h"

namespace overlane::explain::testing {

std::string rendered(const Explanation& explanation, Form form) {
  Renderer renderer(form);
  for (const effective::EffectiveDataplane& network : explanation.networks)
    renderer.add(renderer.render(network));
  std::string text;
  for (const std::string& part : renderer.finish(explanation.findings))
    text += part;
  return text;
}

}  // namespace overlane::explain::testing
