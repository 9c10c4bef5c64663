#include "topologies/derive/outline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "topologies/derive/shoot_derivation.h"

namespace overlane::derive {
namespace {

Findings config_errors(const ShootDerivation& shoot, const DeriveOptions& options) {
  Findings errors;
  std::ranges::copy_if(
      shoot.network()->config_findings(), std::back_inserter(errors), [&](const Finding& one) {
        return one.severity == Severity::Error && !(options.overlooks && options.overlooks(one));
      });
  return errors;
}

}  // namespace

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  const effective::NetworkInputs& inputs = shoot.inputs();
  Outline outline{.stage = inputs.stage,
                  .provider = inputs.provider.provider,
                  .families = inputs.families,
                  .addressing = inputs.addressing,
                  .routing_domain = shoot.decisions().routing_domain};
  if (shoot.network() == nullptr) return outline;
  outline.config_errors = config_errors(shoot, options);
  if (!outline.config_errors.empty()) return outline;
  if (Result<cni::NetworkDecision> decision = shoot.decide())
    outline.network = *std::move(decision);
  return outline;
}

}  // namespace overlane::derive
