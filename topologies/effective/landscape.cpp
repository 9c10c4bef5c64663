#include "topologies/effective/landscape.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/spelling.h"

namespace overlane::effective {
namespace {

/// Sets one boolean member.
template <bool Landscape::*kMember>
bool set_switch(std::string_view text, Landscape& landscape) {
  if (text != "true" && text != "false") return false;
  landscape.*kMember = text == "true";
  return true;
}

bool set_calico_version(std::string_view text, Landscape& landscape) {
  const auto version = CalicoVersion::parse(text);
  if (version) landscape.calico_version = version;
  return version.has_value();
}

constexpr LandscapeSetting kSettings[] = {
    {"calico.version", "X.Y", "3.31",
     "Calico's release, which decides who programs the routes of IPIP pools",
     "gardener-extension-networking-calico charts/images.yaml", set_calico_version},
    {"openstack.calico-overlay", "true|false", "true",
     "The overlay.enabled that admission writes into a new calico shoot without that key",
     "gardener-extension-provider-openstack, admission chart values",
     set_switch<&Landscape::openstack_calico_overlay>},
    {"openstack.cilium-overlay", "true|false", "true", "The same for a new cilium shoot",
     "gardener-extension-provider-openstack, admission chart values",
     set_switch<&Landscape::openstack_cilium_overlay>},
    {"azure.calico-overlay", "true|false", "false",
     "Whether the provider's validator admits calico with an overlay, as newer releases do",
     "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go",
     set_switch<&Landscape::azure_calico_overlay>},
};

}  // namespace

std::span<const LandscapeSetting> landscape_settings() {
  return kSettings;
}

Parsed<Landscape> with_setting(Landscape landscape, std::string_view assignment) {
  constexpr std::string_view kPrefix = "landscape.";
  const auto equals = assignment.find('=');
  if (!assignment.starts_with(kPrefix) || equals == assignment.npos)
    return fail(
        fmt::format("\"{}\" is not like landscape.openstack.calico-overlay=false", assignment));
  const std::string_view key = assignment.substr(kPrefix.size(), equals - kPrefix.size());
  const std::string_view value = assignment.substr(equals + 1);
  const auto* setting = std::ranges::find(kSettings, key, &LandscapeSetting::key);
  if (setting == std::end(kSettings)) {
    std::vector<std::string_view> known;
    std::ranges::transform(kSettings, std::back_inserter(known), &LandscapeSetting::key);
    return fail(fmt::format("there is no landscape setting \"{}\"; {}", key,
                            document::did_you_mean(key, known)));
  }
  if (!setting->set(value, landscape))
    return fail(fmt::format("landscape.{} is \"{}\", not {}", key, value, setting->value));
  return landscape;
}

}  // namespace overlane::effective
