#include "topologies/derive/outline.h"

#include <algorithm>
#include <utility>

#include "topologies/derive/opened_shoot.h"

namespace overlane::derive {
namespace {

std::optional<cni::NetworkDecision> decide_network(const OpenedShoot& shoot,
                                                   const DeriveOptions& options) {
  const bool undecodable =
      std::ranges::any_of(shoot.network()->config_findings(), [&](const Finding& one) {
        return one.severity == Severity::Error && !(options.overlooks && options.overlooks(one));
      });
  if (undecodable) return std::nullopt;
  Result<cni::NetworkDecision> decision = shoot.decide();
  return decision ? std::optional(*std::move(decision)) : std::nullopt;
}

}  // namespace

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options) {
  const OpenedShoot shoot(spec, options);
  const effective::NetworkInputs& inputs = shoot.inputs();
  return {.stage = inputs.stage,
          .provider = inputs.provider.provider,
          .families = inputs.families,
          .addressing = inputs.addressing,
          .routing_domain = shoot.decisions().routing_domain,
          .network = shoot.network() != nullptr ? decide_network(shoot, options) : std::nullopt};
}

}  // namespace overlane::derive
