#include "topologies/manifest/documents/document_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/manifest/spec/shoot_spec.h"

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

/// The pod range of a Network: podCIDR, or its old name clusterCIDR with a warning.
Value pod_cidr(const Value& spec, Problems& problems) {
  const Value old_name = spec["clusterCIDR"];
  if (old_name)
    problems.warning(old_name, "deprecated-field",
                     "spec.clusterCIDR is the old name of spec.podCIDR; today's API ignores it",
                     "rename it to podCIDR");
  return spec["podCIDR"] ? spec["podCIDR"] : old_name;
}

/// Decodes the networking fields that the current Shoot API and the Runtime have in common.
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

std::optional<Finding> unfilled(const ObjectHead& object) {
  const Value spec = object.root["spec"];
  return unfilled_finding(
      object.name,
      {object.root["metadata"]["namespace"], spec["type"], spec["region"], spec["providerConfig"],
       spec["pools"], object.root["status"]["providerStatus"]},
      object.root);
}

Field<std::string> live_in_seed(const ObjectHead& object) {
  if (auto evidence = live_evidence(object.root)) return evidence;
  return Located<std::string>{fmt::format("there is its {} in a seed", object.name.kind),
                              object.root.place(), object.root.path()};
}

void read_infrastructure(Fields spec, Fields status, PodNetworkSpec& out) {
  Problems& problems = spec.problems();
  ShootSpec& shoot = out.shoot;
  const std::string provider = shoot.provider ? shoot.provider->value : "";
  decode_infrastructure_config(provider, spec.mapping("providerConfig"), shoot.infrastructure,
                               problems);
  decode_infrastructure_status(provider, status.mapping("providerStatus"),
                               shoot.infrastructure.observed, problems);
  Fields networking = status.fields("networking");
  shoot.status_pods = given_cidrs(networking, "pods");
  shoot.status_services = given_cidrs(networking, "services");
  shoot.status_nodes = given_cidrs(networking, "nodes");
  shoot.status_egress = given_cidrs(status, "egressCIDRs");
  const auto old_nodes = given_cidr(status, "nodesCIDR");
  if (old_nodes && shoot.status_nodes.empty()) shoot.status_nodes.push_back(*old_nodes);
}

/// Decodes a ControlPlane. It counts as given even without a providerConfig, because the provider's
/// extension reads it in place of the Shoot.
void read_control_plane(Fields spec, const Value& annotations, PodNetworkSpec& out) {
  const std::string provider = out.shoot.provider ? out.shoot.provider->value : "";
  decode_control_plane_config(provider, spec.mapping("providerConfig"), out.shoot.control_plane,
                              spec.problems());
  decode_control_plane_annotations(annotations, out.shoot.control_plane);
  out.shoot.control_plane.given = Located<std::string>{
      fmt::format("the ControlPlane {}", out.object.qualified()), out.place, "spec.providerConfig"};
}

/// The common part of the decoders of Infrastructure, ControlPlane and Worker; `read` decodes the
/// rest.
template <typename Read>
Decoded decode(const ObjectHead& object, Read read) {
  if (auto finding = unfilled(object)) return {std::nullopt, {*std::move(finding)}};
  Problems problems(object.name);
  PodNetworkSpec out{.object = object.name, .place = object.root.place()};
  out.live = live_in_seed(object);
  Fields root(object.root, problems);
  Fields spec = root.fields("spec");
  out.shoot.provider = given_string(spec, "type");
  out.shoot.region = given_string(spec, "region");
  read(root, spec, out);
  return {std::move(out), problems.findings()};
}

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

Decoded decode_infrastructure(const ObjectHead& object) {
  return decode(object, [](Fields& root, Fields& spec, PodNetworkSpec& out) {
    read_infrastructure(spec, root.fields("status"), out);
  });
}

Decoded decode_control_plane(const ObjectHead& object) {
  return decode(object, [](Fields& root, Fields& spec, PodNetworkSpec& out) {
    read_control_plane(spec, root.value()["metadata"]["annotations"], out);
  });
}

Decoded decode_worker(const ObjectHead& object) {
  return decode(object, [](Fields&, Fields& spec, PodNetworkSpec& out) {
    for (const Value pool : spec.list("pools"))
      out.shoot.workers.push_back(decode_worker_pool(pool, spec.problems()));
  });
}

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
