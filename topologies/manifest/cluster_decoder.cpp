#include "topologies/manifest/cluster_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/merge_patch.h"
#include "topologies/document/spelling.h"
#include "topologies/document/text_check.h"
#include "topologies/manifest/given_fields.h"
#include "topologies/manifest/unfilled.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Kind;
using document::Problems;
using document::Value;

Decoded refused(Finding finding) {
  return {std::nullopt, {std::move(finding)}};
}

std::optional<Unfilled> first_unfilled(std::initializer_list<Value> values) {
  for (const Value& value : values)
    if (auto found = find_unfilled(value)) return found;
  return std::nullopt;
}

/// Looks closely at the parts of a shoot that this program reads, then at the others.
std::optional<Unfilled> unfilled_in_shoot(const Value& shoot) {
  const Value metadata = shoot["metadata"];
  const Value spec = shoot["spec"];
  auto found =
      first_unfilled({metadata["name"], metadata["namespace"], metadata["uid"], spec["region"],
                      spec["networking"], spec["provider"], spec["kubernetes"]});
  return found ? found : find_unfinished(shoot);
}

std::optional<Unfilled> unfilled_in_network(const Value& network) {
  const Value metadata = network["metadata"];
  auto found =
      first_unfilled({metadata["name"], metadata["namespace"], metadata["uid"], network["spec"]});
  return found ? found : find_unfinished(network);
}

/// Why an object cannot be told from others: its name or namespace is missing or no plain string.
std::optional<Finding> misnamed(const ObjectName& name, const Value& object) {
  const Value metadata = object["metadata"];
  if (name.name.empty())
    return refuse(name, metadata ? metadata : object, "unsupported-fragment",
                  fmt::format("this {} has no metadata.name", name.kind),
                  "give the whole object, with its name");
  for (const Value& value : {metadata["name"], metadata["namespace"]}) {
    if (!value) continue;
    const bool string =
        value.is(Kind::Scalar) && value.scalar_type() == document::ScalarType::String;
    if (string && document::one_line(value.text()) == value.text()) continue;
    return refuse(name, value, "unsupported-fragment",
                  fmt::format("{} is no name: it must be a string on one line", value.path()),
                  "write the name that the object has in its cluster");
  }
  return std::nullopt;
}

/// Why a document cannot be decoded at all: values that were never filled in.
std::optional<Finding> unusable(const ObjectName& name, std::optional<Unfilled> unfilled) {
  if (!unfilled) return std::nullopt;
  return refuse(name, unfilled->value, std::move(unfilled->rule), std::move(unfilled->message),
                std::move(unfilled->hint));
}

void warn_unknown(const Value& block, std::span<const std::string_view> known, Problems& problems) {
  for (Value entry : block)
    if (std::ranges::find(known, entry.key()) == known.end())
      problems.warning(entry, "unknown-field",
                       fmt::format("{} is not a known field and has no effect", entry.path()),
                       document::did_you_mean(entry.key(), known));
}

/// What Shoot.spec.networking and Network.spec have in common.
void decode_common(const Value& block, ClusterSpec& spec, Problems& problems) {
  Fields fields(block, problems);
  const Value type = fields.any("type");
  spec.type = {std::string(type.text()), type.place(), type.path()};
  spec.ip_families = given_families(fields, "ipFamilies");
  spec.provider_config = document::subtree(fields.mapping("providerConfig"));
}

Decoded decode_shoot_object(const ObjectName& name, const Value& shoot, Field<std::string> live) {
  const Value networking = shoot["spec"]["networking"];
  if (!networking["type"])
    return refused(refuse(name, networking ? networking : shoot, "unsupported-fragment",
                          "only a part of a shoot: it has no spec.networking.type",
                          "give the whole Shoot (workerless ones have no pod network)"));
  if (auto finding = unusable(name, unfilled_in_shoot(shoot))) return refused(*std::move(finding));
  if (auto finding = misnamed(name, shoot)) return refused(*std::move(finding));

  Problems problems(name);
  ClusterSpec spec{.object = name, .place = shoot.place(), .live = std::move(live)};
  decode_common(networking, spec, problems);
  spec.pods = read_cidr(networking["pods"], problems);
  spec.services = read_cidr(networking["services"], problems);
  spec.shoot = decode_shoot_spec(shoot, problems);
  constexpr std::array<std::string_view, 6> kKnown = {"type",  "providerConfig", "pods",
                                                      "nodes", "services",       "ipFamilies"};
  warn_unknown(networking, kKnown, problems);
  if (!spec.shoot.provider)
    problems.warning(shoot["spec"], "unknown-provider",
                     "the shoot names no spec.provider.type, so no cloud's defaults are applied",
                     "give the whole Shoot");
  return {std::move(spec), problems.findings()};
}

/// podCIDR, or the name that it had before.
Value pod_cidr(const Value& spec, Problems& problems) {
  const Value old_name = spec["clusterCIDR"];
  if (old_name)
    problems.warning(old_name, "deprecated-field",
                     "spec.clusterCIDR is the old name of spec.podCIDR; today's API ignores it",
                     "rename it to podCIDR");
  return spec["podCIDR"] ? spec["podCIDR"] : old_name;
}

/// Why what a Cluster embeds is no shoot of today's API.
std::optional<Finding> embedded_otherwise(const ObjectHead& cluster) {
  const Value shoot = cluster.root["spec"]["shoot"];
  const std::string_view version = shoot["apiVersion"].text();
  if (!version.empty() && version != "core.gardener.cloud/v1beta1")
    return refuse(
        cluster.name, shoot["apiVersion"], "unsupported-api-version",
        fmt::format("the embedded shoot has the apiVersion \"{}\", which is not supported",
                    version),
        "convert it to core.gardener.cloud/v1beta1");
  const std::string_view kind = shoot["kind"].text();
  if (!kind.empty() && kind != "Shoot")
    return refuse(cluster.name, shoot["kind"], "unsupported-fragment",
                  fmt::format("what the Cluster embeds as its shoot is of kind {}", kind),
                  "give the whole Cluster");
  return std::nullopt;
}

}  // namespace

Decoded decode_shoot(const ObjectHead& object) {
  return decode_shoot_object(object.name, object.root, live_evidence(object.root));
}

bool embeds_shoot(const ObjectHead& cluster) {
  return cluster.root["spec"]["shoot"] && !embedded_otherwise(cluster);
}

Decoded decode_cluster(const ObjectHead& object) {
  const Value shoot = object.root["spec"]["shoot"];
  if (auto finding = embedded_otherwise(object)) return refused(*std::move(finding));
  if (!shoot)
    return refused(refuse(object.name, object.root, "unsupported-fragment",
                          "the Cluster embeds no shoot", "give the whole Cluster"));
  ObjectName name = name_of(shoot);
  if (name.name.empty()) name.name = object.name.name;
  name.kind = "Shoot";
  return decode_shoot_object(name, shoot,
                             Given<std::string>{"it stands in a Cluster of a seed",
                                                object.root.place(), object.root.path()});
}

Decoded decode_network(const ObjectHead& object, const Value& cluster) {
  const Value block = object.root["spec"];
  if (!block["type"])
    return refused(refuse(object.name, block ? block : object.root, "unsupported-fragment",
                          "only a part of a Network: it has no spec.type",
                          "give the whole Network"));
  const Value shoot = cluster["spec"]["shoot"];
  auto unfilled = unfilled_in_network(object.root);
  if (!unfilled) unfilled = unfilled_in_shoot(shoot);
  if (auto finding = unusable(object.name, std::move(unfilled)))
    return refused(*std::move(finding));

  Problems problems(object.name);
  ClusterSpec spec{.object = object.name, .place = object.root.place()};
  spec.live = live_evidence(object.root);
  if (!spec.live)
    spec.live =
        Given<std::string>{"it is a Network of a seed", object.root["kind"].place(), "kind"};
  decode_common(block, spec, problems);
  const Value pods = pod_cidr(block, problems);
  spec.pods = read_cidr(pods, problems);
  spec.services = read_cidr(block["serviceCIDR"], problems);
  for (const char* key : {"podCIDR", "serviceCIDR"})
    if (!block[key] && !(key == std::string_view("podCIDR") && pods))
      problems.error(block, "missing-key", fmt::format("spec.{} is required", key));
  spec.shoot = decode_shoot_spec(shoot, problems);
  constexpr std::array<std::string_view, 7> kKnown = {
      "type", "class", "ipFamilies", "providerConfig", "podCIDR", "serviceCIDR", "clusterCIDR"};
  warn_unknown(block, kKnown, problems);
  if (!problems.any_error())
    if (auto finding = misnamed(object.name, object.root)) return refused(*std::move(finding));
  return {std::move(spec), problems.findings()};
}

ClusterSpec with_network_config(const ClusterSpec& spec, const Value& patch) {
  ClusterSpec patched = spec;
  const std::string path =
      spec.object.kind == "Network" ? "spec.providerConfig" : "spec.networking.providerConfig";
  patched.provider_config = document::merge_patch(spec.provider_config.root(), patch, path);
  return patched;
}

}  // namespace overlane::manifest
