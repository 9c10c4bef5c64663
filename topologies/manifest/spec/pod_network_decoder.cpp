#include "topologies/manifest/spec/pod_network_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/spelling.h"
#include "topologies/document/tree/merge_patch.h"
#include "topologies/document/tree/text_check.h"
#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/unfilled.h"
#include "topologies/manifest/spec/network_config.h"
#include "topologies/manifest/spec/shoot_2020.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Kind;
using document::Problems;
using document::Value;

Decoded refused(Finding finding) {
  return {std::nullopt, {std::move(finding)}};
}

/// Checks first the decoded parts of a shoot, then the others.
std::optional<Finding> unfilled_in_shoot(const ShootView& shoot) {
  return unfilled_finding(
      shoot.name,
      {shoot.metadata["name"], shoot.metadata["namespace"], shoot.metadata["uid"],
       shoot.spec["name"], shoot.spec["region"], shoot.networking(), shoot.spec["provider"],
       shoot.spec["cloud"], shoot.spec["kubernetes"]},
      shoot.whole);
}

std::optional<Finding> unfilled_in_network(const ObjectHead& network) {
  const Value metadata = network.root["metadata"];
  return unfilled_finding(
      network.name,
      {metadata["name"], metadata["namespace"], metadata["uid"], network.root["spec"]},
      network.root);
}

bool is_name(const Value& value) {
  return value.is(Kind::Scalar) && value.scalar_type() == document::ScalarType::String &&
         document::one_line(value.text()) == value.text();
}

/// The finding for an object without a valid name: name or namespace is missing or not a plain
/// string.
std::optional<Finding> invalid_name(const ObjectName& name, const Value& whole,
                                    std::initializer_list<Value> written) {
  if (name.name.empty())
    return refuse(name, whole["metadata"] ? whole["metadata"] : whole, "unsupported-fragment",
                  fmt::format("this {} has no name", name.kind),
                  "give the whole object, with its name");
  for (const Value& value : written) {
    if (!value) continue;
    if (is_name(value)) {
      if (auto refusal = refuse_name(name, value, value.key() == "namespace")) return refusal;
      continue;
    }
    return refuse(name, value, "unsupported-fragment",
                  fmt::format("{} is no name: it must be a string on one line", value.path()),
                  "write the name that the object has in its cluster");
  }
  return std::nullopt;
}

void warn_unknown(const Value& block, std::span<const std::string_view> known, Problems& problems) {
  for (Value entry : block)
    if (std::ranges::find(known, entry.key()) == known.end())
      problems.warning(entry, "unknown-field",
                       fmt::format("{} is not a known field and has no effect", entry.path()),
                       document::did_you_mean(entry.key(), known));
}

/// Decodes the common fields of Shoot.spec.networking and Network.spec. False if the families are
/// refused: validation then skips the ranges, since their family is unknown.
bool decode_common(const Value& block, PodNetworkSpec& spec, Problems& problems) {
  Fields fields(block, problems);
  if (auto type = given_string(fields, "type")) spec.type = *std::move(type);
  const std::size_t before = problems.findings().size();
  spec.ip_families = given_families(fields, "ipFamilies");
  const bool families_hold = problems.findings().size() == before;
  spec.provider_config = document::Tree::of(fields.mapping("providerConfig"));
  return families_hold;
}

/// podCIDR, or its old name.
Value pod_cidr(const Value& spec, Problems& problems) {
  const Value old_name = spec["clusterCIDR"];
  if (old_name)
    problems.warning(old_name, "deprecated-field",
                     "spec.clusterCIDR is the old name of spec.podCIDR; today's API ignores it",
                     "rename it to podCIDR");
  return spec["podCIDR"] ? spec["podCIDR"] : old_name;
}

/// The fields that the current API and the Runtime share.
void decode_networking(const ShootView& shoot, PodNetworkSpec& spec, Problems& problems) {
  const Value networking = shoot.networking();
  if (decode_common(networking, spec, problems)) {
    spec.pods = read_cidr(networking["pods"], problems);
    spec.services = read_cidr(networking["services"], problems);
  }
  constexpr std::array<std::string_view, 6> kKnown = {"type",  "providerConfig", "pods",
                                                      "nodes", "services",       "ipFamilies"};
  warn_unknown(networking, kKnown, problems);
}

}  // namespace

std::optional<Finding> unfilled_finding(const ObjectName& name, std::initializer_list<Value> read,
                                        const Value& whole) {
  if (!may_hold_unfilled(whole)) return std::nullopt;
  std::optional<Unfilled> found;
  for (const Value& value : read)
    if (!found) found = find_unfilled(value);
  if (!found) found = find_unfinished(whole);
  if (!found) return std::nullopt;
  return refuse(name, found->value, std::move(found->rule), std::move(found->message),
                std::move(found->hint));
}

Decoded decode_shoot_part(const ShootView& shoot) {
  if (auto finding = unfilled_in_shoot(shoot)) return refused(*std::move(finding));
  Problems problems(shoot.name);
  PodNetworkSpec spec{.object = shoot.name, .place = shoot.whole.place(), .live = shoot.live};
  if (shoot.form == ShootForm::Shoot2020) {
    if (shoot.is_whole()) decode_shoot_2020(shoot, spec, problems);
  } else {
    decode_networking(shoot, spec, problems);
    spec.shoot = decode_shoot_spec(shoot, problems);
  }
  return {std::move(spec), problems.findings()};
}

Decoded decode_shoot(const ShootView& shoot) {
  Decoded decoded = decode_shoot_part(shoot);
  if (!decoded.spec) return decoded;
  auto finding = invalid_name(shoot.name, shoot.whole,
                              {shoot.metadata["name"], shoot.metadata["namespace"],
                               shoot.form == ShootForm::Runtime ? shoot.spec["name"] : Value()});
  if (finding) return refused(*std::move(finding));
  return decoded;
}

Decoded decode_network(const ObjectHead& object) {
  const Value block = object.root["spec"];
  if (block["type"] && block["type"].text().empty() && block["type"].is(document::Kind::Scalar))
    return refused(refuse(object.name, block["type"], "bad-value", "spec.type is empty",
                          "write the network type, such as calico"));
  if (!is_given(block["type"]))
    return refused(refuse(object.name, block ? block : object.root, "unsupported-fragment",
                          "only a part of a Network: it has no spec.type",
                          "give the whole Network"));
  if (auto finding = unfilled_in_network(object)) return refused(*std::move(finding));

  Problems problems(object.name);
  PodNetworkSpec spec{.object = object.name, .place = object.root.place()};
  spec.live = live_evidence(object.root);
  if (!spec.live)
    spec.live =
        Located<std::string>{"it is a Network of a seed", object.root["kind"].place(), "kind"};
  const bool families_hold = decode_common(block, spec, problems);
  const Value pods = pod_cidr(block, problems);
  if (families_hold) {
    spec.pods = read_cidr(pods, problems);
    spec.services = read_cidr(block["serviceCIDR"], problems);
  }
  for (const char* key : {"podCIDR", "serviceCIDR"})
    if (!block[key] && !(key == std::string_view("podCIDR") && pods))
      problems.error(block, "missing-key", fmt::format("spec.{} is required", key));
  constexpr std::array<std::string_view, 7> kKnown = {
      "type", "class", "ipFamilies", "providerConfig", "podCIDR", "serviceCIDR", "clusterCIDR"};
  warn_unknown(block, kKnown, problems);
  Fields status(object.root["status"], problems);
  spec.status_ip_families = given_families(status, "ipFamilies");
  const Value metadata = object.root["metadata"];
  if (!problems.any_error())
    if (auto finding =
            invalid_name(object.name, object.root, {metadata["name"], metadata["namespace"]}))
      return refused(*std::move(finding));
  return {std::move(spec), problems.findings()};
}

PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const Value& patch) {
  PodNetworkSpec patched = spec;
  const std::string path =
      spec.object.kind == "Network" ? "spec.providerConfig" : "spec.networking.providerConfig";
  const Value before = spec.provider_config.root();
  patched.provider_config = document::merge_patch(before, patch, path);
  const bool is_same = covers(before, patch) && covers(patched.provider_config.root(), before);
  if (!is_same) patched.is_changed = true;
  return patched;
}

}  // namespace overlane::manifest
