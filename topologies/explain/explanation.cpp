#include "topologies/explain/explanation.h"

#include <memory>
#include <utility>

#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::explain {

using derive::derive;
using derive::DeriveOptions;
using derive::judge_config;
using derive::take_network_providers;
namespace {

using Network = Result<effective::EffectiveDataplane>;

void add(Network network, Explanation& explanation) {
  if (!network) {
    explanation.findings.push_back(std::move(network.error()));
    return;
  }
  explanation.findings.insert(explanation.findings.end(), network->findings.begin(),
                              network->findings.end());
  explanation.networks.push_back(*std::move(network));
}

}  // namespace

Explanation explain(document::Stream stream, const DeriveOptions& options, unsigned threads) {
  DeriveOptions asked = options;
  take_network_providers(stream, asked.declarative);
  Explanation explanation;
  const auto explain_one = [&](const manifest::PodNetworkSpec& spec) {
    const auto network = std::make_shared<Network>(derive(spec, asked));
    return [&explanation, network] { add(std::move(*network), explanation); };
  };
  manifest::Leftover rest =
      manifest::decode_each(stream, manifest::Detail::Summary, explain_one, threads);
  explanation.findings.insert(explanation.findings.begin(), rest.findings.begin(),
                              rest.findings.end());
  for (const manifest::PodNetworkSpec& fragment : rest.fragments)
    if (auto refusal = manifest::not_admitted(judge_config(fragment, asked)))
      explanation.findings.push_back(*std::move(refusal));
  return explanation;
}

}  // namespace overlane::explain
