#include "topologies/update/admitted.h"

#include <fmt/format.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/update/update.h"

namespace overlane::update {
namespace {

using effective::Stage;
using manifest::PodNetworkSpec;
using provider::NewOverlay;

bool has_overlay_key(const PodNetworkSpec& spec) {
  return manifest::overlay_of(spec).has_value();
}

/// The NetworkConfig with an overlay block as a provider's admission writes it.
PodNetworkSpec with_overlay(const PodNetworkSpec& spec, std::string_view writer, bool enabled,
                            bool pod_routes) {
  const document::Stream patch =
      document::parse(fmt::format("overlay: {{enabled: {}{}}}", enabled,
                                  pod_routes ? ", createPodRoutes: true" : ""),
                      std::string(writer));
  return manifest::with_network_config(spec, patch.documents.front().root());
}

PodNetworkSpec with_old_overlay(const PodNetworkSpec& before, const PodNetworkSpec& after,
                                std::string_view writer) {
  const auto block = manifest::overlay_of(before);
  if (!block) return after;
  const bool enabled = block->value.enabled && block->value.enabled->value;
  const auto& pod_routes = block->value.create_pod_routes;
  return with_overlay(after, writer, enabled, pod_routes && pod_routes->value);
}

}  // namespace

bool keeps_overlay_key(const provider::Profile& provider, std::string_view network_type) {
  switch (provider.admission.new_overlay) {
    case NewOverlay::Untouched:
      return false;
    case NewOverlay::OffForCilium:
      return provider.admission.writes_new_overlay_of(network_type);
    case NewOverlay::Off:
    case NewOverlay::ByLandscape:
      return true;
  }
  return false;
}

bool switches_overlay_off_silently(const PodNetworkSpec& before, const PodNetworkSpec& after,
                                   const provider::Profile& provider,
                                   const effective::Landscape& landscape, Stage stage) {
  if (provider.admission.new_overlay != NewOverlay::ByLandscape || stage != Stage::Live ||
      has_overlay_key(before) || has_overlay_key(after))
    return false;
  const std::string& type = after.type.value;
  return (type == "calico" && !landscape.openstack_calico_overlay) ||
         (type == "cilium" && !landscape.openstack_cilium_overlay);
}

PodNetworkSpec admitted_update(const PodNetworkSpec& before, const PodNetworkSpec& after,
                               const derive::DeriveOptions& options, derive::StageChoice& stage) {
  const provider::Profile& provider =
      provider::profile_of(after.shoot.provider ? after.shoot.provider->value : "");
  const Stage old_stage = derive::stage_of(before, options.stage);
  // The new object also has the values that admission wrote when the old one was created.
  stage = old_stage == Stage::Live ? derive::StageChoice::Live : derive::StageChoice::Create;
  PodNetworkSpec admitted = after;
  if (has_overlay_key(after)) {
    // Admission keeps the key.
  } else if (switches_overlay_off_silently(before, after, provider, options.landscape, old_stage)) {
    admitted = with_overlay(after, provider.admission.mutator.text(), false, true);
  } else if (has_overlay_key(before) && keeps_overlay_key(provider, after.type.value)) {
    admitted = with_old_overlay(before, after, provider.admission.mutator.text());
  }
  admitted.is_changed = true;
  return admitted;
}

}  // namespace overlane::update
