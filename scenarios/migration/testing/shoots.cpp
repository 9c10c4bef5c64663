#include "scenarios/migration/testing/shoots.h"

#include <stdexcept>

#include <fmt/format.h>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::migration::testing {
namespace {

constexpr auto kAwsZones = R"(
        vpc: {cidr: 10.250.0.0/16}
        zones:
        - {name: zone-a, workers: 10.250.0.0/19, public: 10.250.96.0/22, internal: 10.250.112.0/22}
        - {name: zone-b, workers: 10.250.32.0/19, public: 10.250.100.0/22, internal: 10.250.116.0/22})";
constexpr auto kGcpNetworks = R"(
        workers: 10.250.0.0/16)";

}  // namespace

std::string ShootText::text() const {
  return fmt::format(R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: shop, namespace: garden-dev}}
spec:
  cloudProfile: {{name: {0}}}
  region: region-1
  provider:
    type: {0}
    infrastructureConfig:
      apiVersion: {0}.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      networks:{1}
    workers:
    - name: general
      machine: {{type: large}}
      minimum: 6
      maximum: 20
      zones: [zone-a, zone-b]
  networking:
    type: calico
    pods: 100.96.0.0/11
    services: 100.64.0.0/13
    nodes: 10.250.0.0/16
    providerConfig:
      apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1
      kind: NetworkConfig
      overlay: {{enabled: {2}}}
  kubernetes: {{version: 1.33.3}}
)",
                     provider, provider == "aws" ? kAwsZones : kGcpNetworks, overlay);
}

Loaded load_text(const std::string& manifest, Target to, std::uint32_t nodes,
                 const derive::DeriveOptions& derive) {
  const runner::testing::Folder folder;
  auto loaded = load({.paths = {folder.write("shoot.yaml", manifest)},
                      .subject = {.derive = derive, .shoot = {}, .nodes = nodes},
                      .to = to});
  if (!loaded) {
    const Finding& finding = loaded.error().findings.front();
    throw std::runtime_error(finding.rule + ": " + finding.message);
  }
  return *std::move(loaded);
}

Loaded aws_shoot(Target to, std::uint32_t nodes, const derive::DeriveOptions& derive) {
  const ShootText shoot{.provider = "aws", .overlay = to == Target::Routed};
  return load_text(shoot.text(), to, nodes, derive);
}

}  // namespace overlane::migration::testing
