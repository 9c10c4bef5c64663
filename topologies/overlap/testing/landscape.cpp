#include "topologies/overlap/testing/landscape.h"

#include <fmt/format.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::overlap::testing {
namespace {

Inventory read(const std::string& yaml) {
  std::vector<Landscape> landscapes;
  landscapes.push_back({"", document::parse(yaml, "x.yaml"), {}});
  return LandscapeReader(std::move(landscapes), {}).read();
}

constexpr const char* kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: {0}, namespace: garden-dev}}
spec:
  cloudProfile: {{name: gcp}}
  region: europe-west1
  credentialsBindingName: gcp
  provider:
    type: gcp
    infrastructureConfig:
      apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      networks:
        vpc: {{name: shared-vpc}}
        workers: {1}
    workers:
    - {{name: a, machine: {{type: n2-standard-4}}, minimum: 2, maximum: 4, zones: [b]}}
  networking:
    type: calico
    nodes: {1}
    services: 100.64.0.0/13
{2}    providerConfig:
      apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1
      kind: NetworkConfig
      overlay: {{enabled: {3}}}
  kubernetes: {{version: 1.33.3}}
---
)";

}  // namespace

World::World(const std::string& yaml, const FindOptions& options)
    : Comparison(read(yaml)), report(find_overlaps(*this, options)) {}

std::string yaml_of(const std::vector<GcpShoot>& shoots) {
  std::string yaml;
  for (const GcpShoot& shoot : shoots)
    yaml += fmt::format(fmt::runtime(kShoot), shoot.name, shoot.nodes,
                        shoot.pods.empty() ? "" : fmt::format("    pods: {}\n", shoot.pods),
                        shoot.overlay);
  return yaml;
}

}  // namespace overlane::overlap::testing
