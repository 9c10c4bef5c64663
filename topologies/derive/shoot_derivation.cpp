#include "topologies/derive/shoot_derivation.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/derive/extensions.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::derive {
namespace {

using cni::ExtensionInstance;
using effective::as_assumed;
using effective::Decided;
using effective::NetworkInputs;
using effective::Stage;
using manifest::PodNetworkSpec;

Decided<Stage> decide_stage(const PodNetworkSpec& spec, StageChoice choice) {
  if (choice == StageChoice::Create) return {Stage::Create, {"asked for", "--stage create"}};
  if (choice == StageChoice::Live) return {Stage::Live, {"asked for", "--stage live"}};
  if (spec.live)
    return {
        Stage::Live,
        {fmt::format("{}, so it was read from a landscape", spec.live->value), spec.live->place}};
  return {Stage::Create,
          as_assumed("it has no uid, resourceVersion or status, so it is about to be created",
                     spec.place)};
}

const provider::Profile& profile_for(const PodNetworkSpec& spec) {
  return provider::profile_of(spec.shoot.provider ? spec.shoot.provider->value : "");
}

ShootDecisions decide_shoot(const PodNetworkSpec& spec, const DeriveOptions& options) {
  const provider::Profile& provider = profile_for(spec);
  return {.stage = decide_stage(spec, options.stage),
          .link_mtu = effective::decide_link_mtu(spec, provider, options.landscape),
          .routing_domain = effective::decide_routing_domain(spec, provider)};
}

NetworkInputs network_inputs(const PodNetworkSpec& spec, const DeriveOptions& options,
                             const ShootDecisions& shoot) {
  const provider::Profile& provider = profile_for(spec);
  const effective::Families families(spec);
  return {
      .spec = spec,
      .provider = provider,
      .landscape = options.landscape,
      .stage = shoot.stage.value,
      .families = families,
      .overlay = effective::decide_overlay(spec, provider, options.landscape, shoot.stage.value),
      .addressing = effective::decide_addressing(spec, provider, families),
      .link_mtu = shoot.link_mtu};
}

std::unique_ptr<const ExtensionInstance> open(const NetworkInputs& inputs,
                                              const DeclarativeExtensions& declarative) {
  const cni::NetworkExtension* extension = extension_of(inputs.spec.type.value, declarative);
  return extension != nullptr ? extension->open(inputs) : nullptr;
}

}  // namespace

ShootDerivation::ShootDerivation(const PodNetworkSpec& spec, const DeriveOptions& options)
    : decisions_(decide_shoot(spec, options)),
      inputs_(network_inputs(spec, options, decisions_)),
      network_(open(inputs_, options.declarative)) {}

Result<cni::NetworkDecision> ShootDerivation::decide() const {
  Result<cni::NetworkDecision> network = network_->decide();
  if (!network) return network;
  const auto add_cloud_routes = [&](cni::DataplaneDecision& decision, Family family) {
    auto decided = effective::decide_cloud_routes(inputs_, family, decision.dataplane);
    decision.dataplane.cloud_routes = decided.value;
    decision.dataplane.route_gap = decided.gap;
    decision.cloud_routes = std::move(decided.basis);
  };
  add_cloud_routes(network->dataplane, inputs_.families.primary());
  if (network->secondary) add_cloud_routes(*network->secondary, *inputs_.families.secondary());
  return network;
}

Stage stage_of(const PodNetworkSpec& spec, StageChoice choice) {
  return decide_stage(spec, choice).value;
}

}  // namespace overlane::derive
