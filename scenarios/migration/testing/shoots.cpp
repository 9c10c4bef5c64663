#include "scenarios/migration/testing/shoots.h"

#include <stdexcept>

#include <fmt/format.h>

#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::migration::testing {
namespace {

constexpr auto kAwsNetworks =
    "{vpc: {cidr: 10.250.0.0/16}, zones: ["
    "{name: zone-a, workers: 10.250.0.0/19, public: 10.250.96.0/22, internal: 10.250.112.0/22}, "
    "{name: zone-b, workers: 10.250.32.0/19, public: 10.250.100.0/22, internal: 10.250.116.0/22}]}";
constexpr auto kGcpNetworks = "{workers: 10.250.0.0/16}";

}  // namespace

Loaded shoot_on(const std::string& provider, Target to, std::uint32_t nodes,
                const derive::DeriveOptions& derive, const std::string& cni,
                const std::string& overlay, const std::string& pods) {
  const manifest::testing::ShootText shoot{
      .provider = provider,
      .infrastructure = fmt::format("{{apiVersion: {}.provider.extensions.gardener.cloud/v1alpha1, "
                                    "kind: InfrastructureConfig, networks: {}}}",
                                    provider, provider == "aws" ? kAwsNetworks : kGcpNetworks),
      .workers =
          "[{name: a, machine: {type: large}, minimum: 6, maximum: 20, "
          "zones: [zone-a, zone-b]}]",
      .type = cni,
      .config = fmt::format("{{overlay: {}}}", !overlay.empty()       ? overlay
                                               : to == Target::Routed ? "{enabled: true}"
                                                                      : "{enabled: false}"),
      .networking =
          fmt::format("pods: {}\n    services: 100.64.0.0/13\n    nodes: 10.250.0.0/16", pods),
      .kubernetes = "{version: 1.33.3}"};
  const runner::testing::Folder folder;
  auto loaded = load({.paths = {folder.write("shoot.yaml", shoot.yaml())},
                      .subject = {.derive = derive, .shoot = {}, .nodes = nodes},
                      .to = to});
  if (!loaded) {
    const Finding& finding = loaded.error().findings.front();
    throw std::runtime_error(finding.rule + ": " + finding.message);
  }
  return *std::move(loaded);
}

}  // namespace overlane::migration::testing
