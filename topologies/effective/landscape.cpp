#include "topologies/effective/landscape.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/fields/fields.h"

namespace overlane::effective {

namespace {

std::optional<std::uint32_t> number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error != std::errc{} || end != digits.end()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<CalicoVersion> CalicoVersion::parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto major = number(text.substr(0, dot));
  const auto minor = number(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return CalicoVersion{*major, *minor};
}

std::string to_string(CalicoVersion version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

namespace {

/// Sets a boolean member. Returns false for other texts than "true" and "false".
template <bool Landscape::*kMember>
bool set_switch(std::string_view text, Landscape& landscape) {
  if (text != "true" && text != "false") return false;
  landscape.*kMember = text == "true";
  return true;
}

template <std::optional<bool> Landscape::*kMember>
bool set_optional_switch(std::string_view text, Landscape& landscape) {
  if (text != "true" && text != "false") return false;
  landscape.*kMember = text == "true";
  return true;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc{} || end != text.end()) return std::nullopt;
  return number;
}

/// Sets a member that is a number. Returns false for a number outside of [kMin, kMax].
template <std::optional<std::uint32_t> Landscape::*kMember, std::int64_t kMin, std::int64_t kMax>
bool set_number(std::string_view text, Landscape& landscape) {
  const auto number = whole_number(text);
  if (!number || *number < kMin || *number > kMax) return false;
  landscape.*kMember = static_cast<std::uint32_t>(*number);
  return true;
}

bool set_reserved_ranges(std::string_view text, Landscape& landscape) {
  std::vector<IpPrefix> ranges;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto range = IpPrefix::parse(item);
    if (!range) return false;
    ranges.push_back(*range);
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  landscape.reserved_ranges = std::move(ranges);
  return true;
}

bool set_calico_version(std::string_view text, Landscape& landscape) {
  const auto version = CalicoVersion::parse(text);
  if (version) landscape.calico_version = version;
  return version.has_value();
}

const LandscapeSetting kSettings[] = {
    {"calico.version", "X.Y", "3.31",
     "Calico's release, which decides who programs the routes of IPIP pools",
     "gardener-extension-networking-calico imagevector/images.yaml", set_calico_version},
    {"openstack.calico-overlay", "true|false", "true",
     "The overlay.enabled that admission writes into a new calico shoot without that key",
     "gardener-extension-provider-openstack "
     "charts/gardener-extension-admission-openstack/charts/runtime/values.yaml",
     set_switch<&Landscape::openstack_calico_overlay>},
    {"openstack.cilium-overlay", "true|false", "true", "The same for a new cilium shoot",
     "gardener-extension-provider-openstack "
     "charts/gardener-extension-admission-openstack/charts/runtime/values.yaml",
     set_switch<&Landscape::openstack_cilium_overlay>},
    {"azure.calico-overlay", "true|false", "false",
     "Whether the provider's validator admits calico with an overlay, as newer releases do",
     "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go",
     set_switch<&Landscape::azure_calico_overlay>},
    {"calico.ebpf-without-kube-proxy", "true|false", "unknown",
     "Whether the extension's release reconciles calico's eBPF dataplane without kube-proxy",
     "gardener-extension-networking-calico issue 918",
     set_optional_switch<&Landscape::calico_ebpf_without_kube_proxy>},
    {"calico.non-privileged", "true|false", "false",
     "Whether the extension's feature gate NonPrivilegedCalicoNode is on",
     "gardener-extension-networking-calico docs/operations/operations.md",
     set_switch<&Landscape::calico_non_privileged>},
    {"calico.seamless-overlay-switch", "true|false", "false",
     "Whether the extension's feature gate SeamlessOverlaySwitch is on",
     "gardener-extension-networking-calico docs/operations/operations.md",
     set_switch<&Landscape::calico_seamless_switch>},
    {"openstack.ovn", "true|false", "unknown",
     "Whether OpenStack's networks are OVN's, which drops pods' source addresses",
     "gardener-extension-provider-openstack issue 1404",
     set_optional_switch<&Landscape::openstack_ovn>},
    {"reserved-ranges", "CIDR,CIDR,…", "none",
     "Ranges that the landscape uses itself and no shoot may have", "the landscape's operator",
     set_reserved_ranges},
    {"link-mtu", "576 to 65535 bytes", "the provider's default",
     "The MTU of the nodes' uplinks, if no manifest gives it", "topologies/provider",
     // RFC 791: every host accepts 576 bytes, and the total length has 16 bits.
     set_number<&Landscape::link_mtu, 576, 65'535>},
    {"latency-within-zone", "0 to 1000000 µs", "the provider's default",
     "The one-way latency between nodes of one zone, if no Topology file gives it",
     "topologies/provider", set_number<&Landscape::latency_within_zone, 0, 1'000'000>},
    {"latency-across-zones", "0 to 1000000 µs", "the provider's default",
     "The one-way latency between nodes of two zones, if no Topology file gives it",
     "topologies/provider", set_number<&Landscape::latency_across_zones, 0, 1'000'000>},
    {"single-flow-cap", "0 to 1000000 Mbit/s", "the provider's default",
     "The cap on the rate of one flow, if no Topology file gives it; 0: no cap",
     "topologies/provider", set_number<&Landscape::single_flow_cap, 0, 1'000'000>},
    {"network-burst", "true|false", "true",
     "Whether nodes have network credits and send at their machine type's burst rate; otherwise at "
     "the rate that it sustains",
     "topologies/provider/machines", set_switch<&Landscape::network_burst>},
};

/// The setting "route-quota.<provider>".
LandscapeSetting quota_setting(const provider::Profile& profile) {
  const provider::RouteQuota& quota = *profile.routes.quota;
  return {fmt::format("route-quota.{}", profile.name),
          "N",
          quota.usual > 0 ? std::to_string(quota.usual) : "unknown",
          fmt::format("How many routes one {} holds", quota.holder),
          quota.usual > 0 ? quota.source : sources::Citation("topologies/provider"),
          [&profile](std::string_view text, Landscape& landscape) {
            const auto routes = whole_number(text);
            if (!routes || *routes < 1) return false;
            landscape.route_quotas[profile.provider] = *routes;
            return true;
          }};
}

std::vector<LandscapeSetting> all_settings() {
  std::vector<LandscapeSetting> settings(std::begin(kSettings), std::end(kSettings));
  for (const provider::Profile* profile : provider::profiles())
    if (profile->routes.quota) settings.push_back(quota_setting(*profile));
  return settings;
}

}  // namespace

std::span<const LandscapeSetting> landscape_settings() {
  static const std::vector<LandscapeSetting> kAll = all_settings();
  return kAll;
}

Parsed<Landscape> with_setting(Landscape landscape, std::string_view assignment) {
  constexpr std::string_view kPrefix = "landscape.";
  const auto equals = assignment.find('=');
  std::vector<std::string_view> known;
  std::ranges::transform(landscape_settings(), std::back_inserter(known), &LandscapeSetting::key);
  if (const auto bare = assignment.substr(0, equals); std::ranges::find(known, bare) != known.end())
    return fail(fmt::format(
        "\"{}\" has no prefix; did you mean landscape.{}?", assignment,
        equals == assignment.npos ? fmt::format("{}=VALUE", bare) : std::string(assignment)));
  if (!assignment.starts_with(kPrefix) || equals == assignment.npos)
    return fail(
        fmt::format("\"{}\" is not like landscape.openstack.calico-overlay=false; the keys after "
                    "landscape. are "
                    "{}",
                    assignment, fmt::join(known, ", ")));
  const std::string_view key = assignment.substr(kPrefix.size(), equals - kPrefix.size());
  const std::string_view value = assignment.substr(equals + 1);
  const auto setting = std::ranges::find(landscape_settings(), key, &LandscapeSetting::key);
  if (setting == landscape_settings().end()) {
    return fail(fmt::format("there is no landscape setting \"{}\"; {}", key,
                            document::did_you_mean(key, known)));
  }
  if (!setting->set(value, landscape))
    return fail(fmt::format("landscape.{} is \"{}\", not {}", key, value, setting->value));
  return landscape;
}

}  // namespace overlane::effective
