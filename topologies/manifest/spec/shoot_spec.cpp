#include "topologies/manifest/spec/shoot_spec.h"

#include <algorithm>
#include <span>

#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/unknown_fields.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

Field<std::string> either(Field<std::string> first, Field<std::string> second) {
  return first ? std::move(first) : std::move(second);
}

Field<CloudProfileReference> decode_cloud_profile(Fields& spec) {
  Fields reference = spec.fields("cloudProfile");
  const Field<std::string> kind = given_string(reference, "kind");
  const Field<std::string> old_name = given_string(spec, "cloudProfileName");
  const Field<std::string> name = either(given_string(reference, "name"), old_name);
  reference.warn_others();
  if (!name) return std::nullopt;
  return Located<CloudProfileReference>{
      {kind ? kind->value : "CloudProfile", name->value}, name->place, name->path};
}

void decode_provider(Fields provider, std::span<const std::string_view> worker_lists,
                     ShootSpec& read) {
  Problems& problems = provider.problems();
  read.provider = given_string(provider, "type");
  const std::string_view type = read.provider ? std::string_view(read.provider->value) : "";
  decode_infrastructure_config(type, provider.mapping("infrastructureConfig"), read.infrastructure,
                               problems);
  decode_control_plane_config(type, provider.mapping("controlPlaneConfig"), read.control_plane,
                              problems);
  for (const std::string_view key : worker_lists)
    for (const Value worker : provider.list(key))
      if (worker) read.workers.push_back(decode_shoot_worker(worker, problems));
  provider.ignore({"workersSettings"});
  provider.warn_others();
}

NodeLocalDns decode_node_local_dns(Fields components) {
  NodeLocalDns dns;
  Fields block = components.fields("nodeLocalDNS");
  dns.enabled = given_bool(block, "enabled");
  dns.force_tcp_to_cluster_dns = given_bool(block, "forceTCPToClusterDNS");
  dns.force_tcp_to_upstream_dns = given_bool(block, "forceTCPToUpstreamDNS");
  dns.disable_forward_to_upstream_dns = given_bool(block, "disableForwardToUpstreamDNS");
  block.warn_others();
  components.ignore({"coreDNS"});
  components.warn_others();
  return dns;
}

constexpr std::string_view kWorkerLists[] = {"workers", "additionalWorkers"};

void decode_spec(Fields spec, ShootForm form, ShootSpec& read) {
  const bool runtime = form == ShootForm::Runtime;
  if (runtime) spec.ignore({"name", "platformRegion", "licenceType", "enforceSeedLocation"});
  read.region = given_string(spec, "region");
  read.credentials =
      either(given_string(spec, "credentialsBindingName"), given_string(spec, "secretBindingName"));
  read.cloud_profile = decode_cloud_profile(spec);
  read.seed_name = given_string(spec, "seedName");
  read.purpose = given_string(spec, "purpose");
  Fields hibernation = spec.fields("hibernation");
  read.hibernation = given_bool(hibernation, "enabled");
  Fields maintenance = spec.fields("maintenance");
  read.confines_rollout = given_bool(maintenance, "confineSpecUpdateRollout");
  decode_provider(spec.fields("provider"), std::span(kWorkerLists).first(runtime ? 2 : 1), read);
  static_cast<KubernetesSpec&>(read) = decode_kubernetes(spec.fields("kubernetes"));
  read.node_local_dns = decode_node_local_dns(spec.fields("systemComponents"));
  Fields networking = spec.fields("networking");
  read.nodes = given_cidr(networking, "nodes");
  spec.ignore({"addons", "dns", "extensions", "monitoring", "seedSelector", "resources",
               "tolerations", "exposureClassName", "controlPlane", "schedulerName",
               "accessRestrictions"});
  spec.warn_others();
}

}  // namespace

const Constraint* ShootSpec::constraint(std::string_view type) const {
  const auto found = std::ranges::find(constraints, type, &Constraint::type);
  return found == constraints.end() ? nullptr : &*found;
}

/// Only Gardener writes a status and extends it, so unknown fields are not reported.
void decode_shoot_status(Fields status, ShootSpec& read) {
  read.technical_id = given_string(status, "technicalID");
  read.status_seed_name = given_string(status, "seedName");
  read.hibernated = given_bool(status, "hibernated");
  for (const Value item : status.list("constraints")) {
    Fields constraint(item, status.problems());
    read.constraints.push_back({.type = constraint.string("type").value_or(""),
                                .status = constraint.string("status").value_or(""),
                                .reason = constraint.string("reason").value_or(""),
                                .place = item.place()});
  }
  for (const Value item : status.list("advertisedAddresses")) {
    Fields address(item, status.problems());
    if (auto name = given_string(address, "name"))
      read.advertised_addresses.push_back(*std::move(name));
  }
  Fields networking = status.fields("networking");
  read.status_pods = given_cidrs(networking, "pods");
  read.status_services = given_cidrs(networking, "services");
  read.status_nodes = given_cidrs(networking, "nodes");
  read.status_egress = given_cidrs(networking, "egressCIDRs");
}

ShootSpec decode_shoot_spec(const ShootView& shoot, Problems& problems) {
  ShootSpec read;
  Fields metadata(shoot.metadata, problems);
  read.deletion_timestamp = given_string(metadata, "deletionTimestamp");
  decode_spec(Fields(shoot.spec, problems), shoot.form, read);
  decode_shoot_status(Fields(shoot.status, problems), read);
  return read;
}

}  // namespace overlane::manifest
