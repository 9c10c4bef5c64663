#include "topologies/manifest/documents/extension_objects.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/fields/located_fields.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

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

/// The extension reads the object, also where it has no providerConfig.
void read_control_plane(Fields spec, const Value& annotations, PodNetworkSpec& out) {
  const std::string provider = out.shoot.provider ? out.shoot.provider->value : "";
  decode_control_plane_config(provider, spec.mapping("providerConfig"), out.shoot.control_plane,
                              spec.problems());
  decode_control_plane_annotations(annotations, out.shoot.control_plane);
  out.shoot.control_plane.given = Located<std::string>{
      fmt::format("the ControlPlane {}", out.object.qualified()), out.place, "spec.providerConfig"};
}

/// The common part of the three decoders; `read` decodes the rest.
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

}  // namespace

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

}  // namespace overlane::manifest
