#include "topologies/manifest/spec/shoot_spec.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {

namespace {

using document::Fields;
using document::Problems;
using document::Value;

Switches decode_switches(Fields& fields, std::string_view key) {
  Switches switches;
  for (const Value entry : fields.mapping(key))
    if (auto on = given(entry, read_boolean(entry, fields.problems())))
      switches.emplace(entry.key(), *std::move(on));
  return switches;
}

/// The block `kubeProxy`. Warns about the spelling `kubeproxy` of old documentation of Gardener's
/// network extensions, which the API does not know.
Fields kube_proxy_block(Fields& kubernetes) {
  const Value misspelt = kubernetes.any("kubeproxy");
  if (!misspelt) return kubernetes.fields("kubeProxy");
  kubernetes.problems().warning(
      misspelt, "deprecated-field",
      fmt::format("{} is how Gardener's documents once spelt kubeProxy; today's API ignores it",
                  misspelt.path()),
      "rename it to kubeProxy");
  return kubernetes.fields(kubernetes.any("kubeProxy") ? "kubeProxy" : "kubeproxy");
}

void decode_kube_proxy(Fields proxy, KubernetesSpec& spec) {
  spec.kube_proxy_enabled = given_bool(proxy, "enabled");
  const Value mode = proxy.any("mode");
  spec.kube_proxy_mode = given(mode, proxy.one_of("mode", {"IPTables", "IPVS", "NFTables"}));
  spec.kube_proxy_feature_gates = decode_switches(proxy, "featureGates");
  proxy.warn_others();
}

void decode_control_plane_fields(Fields& kubernetes, KubernetesSpec& spec) {
  Fields manager = kubernetes.fields("kubeControllerManager");
  spec.node_cidr_mask_size = given_integer(manager, "nodeCIDRMaskSize", kInt32);
  spec.node_cidr_mask_size_ipv6 = given_integer(manager, "nodeCIDRMaskSizeIPv6", kInt32);
  spec.controller_manager_feature_gates = decode_switches(manager, "featureGates");
  warn_misspelt(manager.value(), {"nodeCIDRMaskSize", "nodeCIDRMaskSizeIPv6", "featureGates"},
                manager.problems());
  Fields server = kubernetes.fields("kubeAPIServer");
  spec.api_server_feature_gates = decode_switches(server, "featureGates");
  spec.api_server_runtime_config = decode_switches(server, "runtimeConfig");
  warn_misspelt(server.value(), {"featureGates", "runtimeConfig"}, server.problems());
}

/// Reads an IntOrString, a number of machines or a percentage, as text.
Field<std::string> given_share(Fields& fields, std::string_view key) {
  const Value value = fields.any(key);
  if (!value) return std::nullopt;
  if (value.is(document::Kind::Scalar) && (value.as_integer() || value.text().ends_with('%')))
    return Located<std::string>{std::string(value.text()), value.place(),
                                document::FieldPath(value)};
  fields.problems().error(value, "wrong-type",
                          fmt::format("{} must be a number or a percentage", value.path()));
  return std::nullopt;
}

/// Reads a number of nodes. Returns 0 if the field is absent, and nothing if it cannot be read.
std::optional<std::int64_t> node_count(Fields& worker, std::string_view key) {
  if (!worker.value()[key]) return 0;
  const auto count = given_integer(worker, key, kInt32);
  return count ? std::optional(count->value) : std::nullopt;
}

/// Decodes the fields that all kinds of worker pools have. The names of the limits `minimum` and
/// `maximum` differ between kinds.
WorkerPool decode_common_pool(Fields& fields, std::string_view minimum = "minimum",
                              std::string_view maximum = "maximum") {
  const Value& value = fields.value();
  std::string name = fields.string("name").value_or("");
  if (document::one_line(name) != name)
    fields.problems().error(
        value["name"], "bad-value",
        fmt::format("{} is no name: it must be on one line", value["name"].path()));
  const auto least = node_count(fields, minimum);
  const auto most = node_count(fields, maximum);
  WorkerPool pool{.name = std::move(name),
                  .minimum = least.value_or(0),
                  .maximum = most.value_or(0),
                  .zones = fields.strings("zones")};
  pool.max_surge = given_share(fields, "maxSurge");
  pool.max_unavailable = given_share(fields, "maxUnavailable");
  pool.update_strategy = given_string(fields, "updateStrategy");
  pool.place = value.place();
  if (least && most && (*least < 0 || *most < *least))
    fields.problems().error(
        value, "bad-value",
        fmt::format("{}: {} is {} and {} is {}; {} must be at least 0 and at most {}", value.path(),
                    minimum, *least, maximum, *most, minimum, maximum));
  return pool;
}

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

/// The minor release of Kubernetes 1: 33 of "1.33.3"; 0 if it is not known.
int minor_release(const ShootSpec& shoot) {
  int minor = 0;
  if (!shoot.kubernetes_version || !shoot.kubernetes_version->value.starts_with("1.")) return 0;
  const std::string& text = shoot.kubernetes_version->value;
  std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  return minor;
}

bool is_on(const Switches& switches, std::string_view name) {
  const auto found = switches.find(name);
  return found != switches.end() && found->second.value;
}

}  // namespace

KubernetesSpec decode_kubernetes(Fields kubernetes) {
  KubernetesSpec spec;
  spec.kubernetes_version = given_string(kubernetes, "version");
  decode_control_plane_fields(kubernetes, spec);
  decode_kube_proxy(kube_proxy_block(kubernetes), spec);
  spec.max_pods = decode_max_pods(kubernetes);
  Fields autoscaler = kubernetes.fields("verticalPodAutoscaler");
  spec.vertical_pod_autoscaler = given_bool(autoscaler, "enabled");
  kubernetes.ignore({"allowPrivilegedContainers", "clusterAutoscaler", "kubeScheduler",
                     "enableStaticTokenKubeconfig", "etcd"});
  kubernetes.warn_others();
  return spec;
}

WorkerPool decode_shoot_worker(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields);
  Fields machine = fields.fields("machine");
  pool.machine_type = machine.string("type").value_or("");
  machine.ignore({"image", "architecture"});
  machine.warn_others();
  Fields kubernetes = fields.fields("kubernetes");
  pool.max_pods = decode_max_pods(kubernetes);
  pool.kubernetes_version = given_string(kubernetes, "version");
  kubernetes.warn_others();
  if (const Value control_plane = fields.value()["controlPlane"]; control_plane.exists())
    pool.control_plane =
        Located<bool>{true, control_plane.place(), document::FieldPath(control_plane)};
  fields.ignore({"annotations", "caBundle", "cri", "labels", "providerConfig", "taints", "volume",
                 "dataVolumes", "kubeletDataVolumeName", "systemComponents",
                 "machineControllerManager", "sysctls", "clusterAutoscaler", "priority",
                 "controlPlane"});
  fields.warn_others();
  return pool;
}

WorkerPool decode_worker_pool(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields);
  pool.machine_type = fields.string("machineType").value_or("");
  pool.kubernetes_version = given_string(fields, "kubernetesVersion");
  return pool;
}

WorkerPool decode_worker_2020(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields, "autoScalerMin", "autoScalerMax");
  pool.machine_type = fields.string("machineType").value_or("");
  pool.max_pods = decode_max_pods(fields);
  fields.ignore({"annotations", "labels", "machineImage", "taints", "volumeSize", "volumeType"});
  fields.warn_others();
  return pool;
}

Field<std::int64_t> decode_max_pods(Fields& kubernetes) {
  constexpr Bounds kPods{1, 65'536};
  Fields kubelet = kubernetes.fields("kubelet");
  warn_misspelt(kubelet.value(), {"maxPods"}, kubelet.problems());
  return given_integer(kubelet, "maxPods", kPods);
}

void decode_control_plane_config(std::string_view provider, const Value& config, ControlPlane& out,
                                 document::Problems& problems) {
  if (config)
    out.given = Located<std::string>{config.path(), config.place(), document::FieldPath(config)};
  if (provider != "aws" && provider != "stackit") return;
  Fields fields(config, problems);
  Fields manager = fields.fields("cloudControllerManager");
  if (provider == "stackit") {
    out.cloud_controller_manager = given_one_of(manager, "name", {"stackit", "openstack"});
    warn_misspelt(manager.value(), {"name", "featureGates"}, problems);
    return;
  }
  out.custom_route_controller = given_bool(manager, "useCustomRouteController");
  warn_misspelt(manager.value(), {"useCustomRouteController"}, problems);
}

void decode_control_plane_annotations(const Value& annotations, ControlPlane& out) {
  constexpr std::string_view kCleanupCompleted =
      ".provider.extensions.gardener.cloud/calico-cleanup-completed";
  if (!annotations.is(document::Kind::Mapping)) return;
  for (const Value entry : annotations)
    if (entry.key().ends_with(kCleanupCompleted))
      out.calico_cleanup_completed =
          Located<bool>{entry.text() == "true", entry.place(), document::FieldPath(entry)};
}

const Constraint* ShootSpec::constraint(std::string_view type) const {
  const auto found = std::ranges::find(constraints, type, &Constraint::type);
  return found == constraints.end() ? nullptr : &*found;
}

/// Unknown fields of a status are not reported, because only Gardener writes them.
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

MutatingPolicies mutating_policies(const ShootSpec& shoot) {
  constexpr int kAlpha = 33;
  constexpr int kBeta = 34;
  constexpr int kGeneral = 36;
  constexpr std::string_view kAlphaApi = "admissionregistration.k8s.io/v1alpha1";
  constexpr std::string_view kBetaApi = "admissionregistration.k8s.io/v1beta1";
  const int minor = minor_release(shoot);
  if (minor >= kGeneral) return {.enabled = true, .api = {}};
  if (minor < kAlpha) return {};
  const Switches& apis = shoot.api_server_runtime_config;
  return {.enabled = is_on(shoot.api_server_feature_gates, "MutatingAdmissionPolicy") &&
                     (is_on(apis, kAlphaApi) || is_on(apis, kBetaApi)),
          .api = minor >= kBeta ? kBetaApi : kAlphaApi};
}

}  // namespace overlane::manifest
