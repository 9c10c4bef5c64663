#include "topologies/explain/explanation.h"

#include <utility>

#include "topologies/manifest/manifest_set.h"

namespace overlane::explain {

Explanation explain(const document::Stream& stream, const DeriveOptions& options) {
  document::Stream manifests = stream;
  DeriveOptions asked = options;
  take_network_providers(manifests, asked.described);
  manifest::ManifestSet set = manifest::decode(manifests);
  Explanation explanation{.findings = std::move(set.findings)};
  for (const manifest::ClusterSpec& spec : set.clusters) {
    Result<effective::EffectiveDataplane> network = derive(spec, asked);
    if (!network) {
      explanation.findings.push_back(std::move(network.error()));
      continue;
    }
    explanation.findings.insert(explanation.findings.end(), network->findings.begin(),
                                network->findings.end());
    explanation.networks.push_back(*std::move(network));
  }
  for (const manifest::ClusterSpec& fragment : set.fragments)
    if (auto refusal = manifest::not_admitted(judge_config(fragment, asked)))
      explanation.findings.push_back(*std::move(refusal));
  return explanation;
}

}  // namespace overlane::explain
