#include "topologies/manifest/documents/fragment.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/merge_patch.h"

namespace overlane::manifest {
namespace {

using document::Kind;
using document::Problems;
using document::Value;

/// One kind of fragment.
struct Form {
  bool (*is)(const ObjectHead&);
  Decoded (*decode)(const ObjectHead&);
  std::string_view what;
  std::string_view lacks;
  std::string_view hint;
};

constexpr std::string_view kWholeShoot = "give the whole Shoot";

/// The network type in the API group of a NetworkConfig.
std::string_view type_of_group(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  for (const std::string_view end :
       {".networking.extensions.gardener.cloud", ".extensions.gardener.cloud"})
    if (group.ends_with(end)) return group.substr(0, group.size() - end.size());
  return "";
}

bool is_network_config(const ObjectHead& object) {
  return object.name.kind == "NetworkConfig" && object.root.is(Kind::Mapping) &&
         !type_of_group(object.root["apiVersion"].text()).empty();
}

Decoded decode_network_config(const ObjectHead& object) {
  const Value root = object.root;
  if (auto finding = unfilled_finding(object.name, {root}, root))
    return {std::nullopt, {*std::move(finding)}};
  const Value version = root["apiVersion"];
  PodNetworkSpec spec{.object = object.name, .place = root.place()};
  spec.type = {std::string(type_of_group(version.text())), version.place(), version.path()};
  spec.provider_config = document::Tree::of(root);
  return {std::move(spec), {}};
}

Decoded decode_bare_infrastructure(const ObjectHead& object, const Value& config) {
  if (auto finding = unfilled_finding(object.name, {config}, object.root))
    return {std::nullopt, {*std::move(finding)}};
  Problems problems(object.name);
  PodNetworkSpec spec{.object = object.name, .place = object.root.place()};
  decode_infrastructure_config("", config, spec.shoot.infrastructure, problems);
  return {std::move(spec), problems.findings()};
}

bool has_no_kind(const ObjectHead& object) {
  return object.root.is(Kind::Mapping) && object.name.kind.empty();
}

bool is_networking(const Value& block) {
  constexpr std::array<std::string_view, 6> kKeys = {"type",  "providerConfig", "pods",
                                                     "nodes", "services",       "ipFamilies"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return bool(block[key]); });
}

bool is_provider(const Value& block) {
  return block["type"] && (block["infrastructureConfig"] || block["workers"]);
}

bool is_shoot_spec(const Value& spec) {
  return is_networking(spec["networking"]) || is_provider(spec["provider"]);
}

Decoded decode_shoot_spec_at(const ObjectHead& object, const Value& spec) {
  return decode_shoot_part({.name = object.name, .whole = object.root, .spec = spec});
}

constexpr Form kForms[] = {
    {is_network_config, decode_network_config, "a NetworkConfig alone",
     "the shoot that it belongs to, with its provider and ranges",
     "put it into spec.networking.providerConfig of a Shoot, or spec.providerConfig of a Network"},
    {[](const ObjectHead& object) {
       return object.name.kind == "InfrastructureConfig" && object.root.is(Kind::Mapping);
     },
     [](const ObjectHead& object) { return decode_bare_infrastructure(object, object.root); },
     "an InfrastructureConfig alone", "the shoot that it belongs to, with its network type",
     "put it into spec.provider.infrastructureConfig of a Shoot"},
    {[](const ObjectHead& object) {
       return has_no_kind(object) && is_shoot_spec(object.root["spec"]);
     },
     [](const ObjectHead& object) { return decode_shoot_spec_at(object, object.root["spec"]); },
     "a part of a Shoot", "apiVersion, kind and metadata.name", kWholeShoot},
    {[](const ObjectHead& object) { return has_no_kind(object) && is_shoot_spec(object.root); },
     [](const ObjectHead& object) { return decode_shoot_spec_at(object, object.root); },
     "a part of a Shoot's spec", "the object around it", kWholeShoot},
    {[](const ObjectHead& object) {
       return has_no_kind(object) && object.root["infrastructureConfig"].is(Kind::Mapping);
     },
     [](const ObjectHead& object) {
       return decode_bare_infrastructure(object, object.root["infrastructureConfig"]);
     },
     "a part of a Shoot's spec.provider", "the object around it", kWholeShoot},
};

}  // namespace

std::optional<Decoded> decode_fragment(const ObjectHead& object) {
  const auto* form = std::ranges::find_if(kForms, [&](const Form& one) { return one.is(object); });
  if (form == std::end(kForms)) return std::nullopt;
  Decoded decoded = form->decode(object);
  if (!decoded.spec) return decoded;
  decoded.findings.push_back(refuse(object.name, object.root, "incomplete-document",
                                    fmt::format("this is {}: it lacks {}", form->what, form->lacks),
                                    std::string(form->hint)));
  return decoded;
}

}  // namespace overlane::manifest
