#include "topologies/explain/explanation.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::explain {

using derive::derive;
using derive::DeriveOptions;
using derive::judge_config;
using derive::take_network_providers;

Findings explain_each(document::Stream stream, const DeriveOptions& options,
                      const NetworkWork& work, unsigned threads,
                      const document::Progress& progress) {
  DeriveOptions asked = options;
  take_network_providers(stream, asked.declarative);
  Findings of_networks;
  const std::uint64_t documents = stream.documents.size();
  std::uint64_t explained = 0;
  const auto explain_one = [&](const manifest::PodNetworkSpec& spec) -> std::function<void()> {
    auto network = derive(spec, asked);
    Findings findings = network ? network->findings : Findings{network.error()};
    return [&of_networks, &explained, &progress, documents, findings = std::move(findings),
            done = network ? work(*std::move(network)) : nullptr] {
      of_networks.insert(of_networks.end(), findings.begin(), findings.end());
      if (done) done();
      if (progress) progress(++explained, documents);
    };
  };
  manifest::Leftover rest =
      manifest::decode_each(std::move(stream), manifest::Detail::Summary, explain_one, threads);
  Findings findings = std::move(rest.findings);
  std::ranges::move(of_networks, std::back_inserter(findings));
  for (const manifest::PodNetworkSpec& fragment : rest.fragments)
    if (auto refusal = manifest::not_admitted(judge_config(fragment, asked)))
      findings.push_back(*std::move(refusal));
  return findings;
}

Explanation explain(document::Stream stream, const DeriveOptions& options, unsigned threads) {
  Explanation explanation;
  const auto keep = [&](effective::EffectiveDataplane&& network) {
    // std::function requires a copyable target.
    return
        [&explanation, kept = std::make_shared<effective::EffectiveDataplane>(std::move(network))] {
          explanation.networks.push_back(std::move(*kept));
        };
  };
  explanation.findings = explain_each(std::move(stream), options, keep, threads);
  return explanation;
}

}  // namespace overlane::explain
