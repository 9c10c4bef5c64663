#include "topologies/derive/derive.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/cni/declarative/declarative.h"
#include "topologies/cni/extension/masquerade.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/fields/fields.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/effective/nodes.h"
#include "topologies/library/library.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

namespace overlane::derive {

// The steps of derive() and outline() for one shoot: first the decisions that do not depend on the
// CNI, then the network extension, which gets them as inputs, and last describe(), which writes all
// values with their reasons into one EffectiveDataplane, in the order of the output.

/// Decisions about a shoot that do not depend on its network extension.
struct ShootDecisions {
  effective::Decided<effective::Stage> stage;
  effective::Decided<std::uint32_t> link_mtu;
  effective::Decided<effective::RoutingDomain> routing_domain;
};

/// Combines all values, each with its reason, in the order of the output. If `network` is null, the
/// result is opaque.
effective::EffectiveDataplane describe(const effective::NetworkInputs& inputs,
                                       const ShootDecisions& shoot,
                                       const cni::NetworkDecision* network);

/// The derivation of one shoot: decisions that do not depend on the NetworkConfig, and the network
/// extension that decodes it. It refers to the spec and the options, which must outlive it.
class ShootDerivation {
 public:
  ShootDerivation(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);
  ShootDerivation(const ShootDerivation&) = delete;  // The network refers to the inputs.
  ShootDerivation& operator=(const ShootDerivation&) = delete;

  const effective::NetworkInputs& inputs() const { return inputs_; }
  const ShootDecisions& decisions() const { return decisions_; }
  /// The network extension with its decoded NetworkConfig; null if the type is not modelled.
  const cni::ExtensionInstance* network() const { return network_.get(); }
  /// The decisions of the network extension, and whether a controller writes cloud routes. Requires
  /// network().
  Result<cni::NetworkDecision> decide() const;

 private:
  ShootDecisions decisions_;
  effective::NetworkInputs inputs_;
  std::unique_ptr<const cni::ExtensionInstance> network_;
};

namespace {

using cni::ExtensionInstance;
using cni::NetworkDecision;
using effective::add_reason;
using effective::Addressing;
using effective::as_assumed;
using effective::as_given;
using effective::Decided;
using effective::EffectiveDataplane;
using effective::NetworkInputs;
using effective::Stage;
using manifest::PodNetworkSpec;

std::string join(const std::vector<IpPrefix>& ranges) {
  if (ranges.size() == 1) return ranges.front().to_string();
  std::vector<std::string> words;
  for (const IpPrefix& range : ranges)
    words.push_back(range.to_string());
  return words.empty() ? "unknown" : fmt::format("{}", fmt::join(words, ", "));
}

void describe_cluster(const NetworkInputs& inputs,
                      const effective::Decided<effective::Stage>& stage, EffectiveDataplane& out) {
  const PodNetworkSpec& spec = inputs.spec;
  out.kind = spec.object.kind;
  out.name = spec.object.name;
  out.namespace_ = spec.object.namespace_;
  out.source = spec.place.to_string();
  out.place = spec.place;
  for (const manifest::Source& source : spec.sources)
    out.sources.push_back({source.object, source.place});
  out.stage = stage.value;
  out.provider = inputs.provider.provider;
  out.provider_name = spec.shoot.provider ? spec.shoot.provider->value : "";
  out.cni = spec.type.value;
  const manifest::Infrastructure& infrastructure = spec.shoot.infrastructure;
  if (infrastructure.network_id) out.network_id = infrastructure.network_id->value;
  if (infrastructure.nodes_security_group)
    out.nodes_security_group = infrastructure.nodes_security_group->value;
  out.mutating_policies = manifest::mutating_policies(spec.shoot);
  out.confines_rollout = spec.shoot.confines_rollout && spec.shoot.confines_rollout->value;
  out.ip_families = spec.ip_families ? spec.ip_families->value : std::vector<std::string>{"IPv4"};

  add_reason(out.reasons, "stage", to_string(out.stage), stage.basis);
  add_reason(
      out.reasons, "provider", out.provider_name.empty() ? "unknown" : out.provider_name,
      spec.shoot.provider
          ? as_given(*spec.shoot.provider)
          : as_assumed("no document names the provider, so no provider's rules apply", out.place));
  add_reason(out.reasons, "cni", out.cni, as_given(spec.type));
  add_reason(out.reasons, "ip_families", fmt::format("{}", fmt::join(out.ip_families, ", ")),
             spec.ip_families
                 ? as_given(*spec.ip_families)
                 : as_assumed("ipFamilies is not given, which means IPv4",
                              "gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go"));
}

/// The IPv6 node mask with Gardener's default (gardener/gardener
/// pkg/apis/core/v1beta1/defaults_shoot.go).
std::uint8_t ipv6_mask(const manifest::ShootSpec& shoot, const EffectiveDataplane& out) {
  if (out.primary_family() == Family::Ipv6 && out.ip_families.size() == 1)
    return out.node_cidr_mask_size;
  const auto& given = shoot.node_cidr_mask_size_ipv6;
  return static_cast<std::uint8_t>(given ? given->value : effective::kDefaultNodeMaskIpv6);
}

void describe_addressing(const Addressing& addressing, EffectiveDataplane& out) {
  out.pods = addressing.pods.value;
  out.services = addressing.services.value;
  out.nodes = addressing.nodes.value;
  out.max_pods = addressing.max_pods.value;
  out.node_cidr_mask_size = static_cast<std::uint8_t>(addressing.node_cidr_mask_size.value);
  out.max_nodes = addressing.max_nodes.value;
  add_reason(out.reasons, "pods", join(out.pods), addressing.pods.basis);
  add_reason(out.reasons, "services", join(out.services), addressing.services.basis);
  add_reason(out.reasons, "nodes", join(out.nodes), addressing.nodes.basis);
}

std::string_view route_holder(effective::RoutingDomain::Scope scope) {
  using Scope = effective::RoutingDomain::Scope;
  switch (scope) {
    case Scope::Table:
      return "route tables of its own";
    case Scope::Vpc:
      return "routes of the whole network";
    case Scope::Router:
      return "routes of the router";
  }
  return "";
}

std::string_view sharing_text(effective::RoutingDomain::Sharing sharing) {
  using Sharing = effective::RoutingDomain::Sharing;
  switch (sharing) {
    case Sharing::None:
      return "its network is not shared";
    case Sharing::Possible:
      return "its network may be shared";
    case Sharing::Sure:
      return "its network is shared";
    case Sharing::Declared:
      return "its network is joined as declared";
  }
  return "";
}

void describe_routing_domain(const effective::Decided<effective::RoutingDomain>& domain,
                             EffectiveDataplane& out) {
  out.routing_domain = domain.value;
  add_reason(out.reasons, "routing_domain",
             fmt::format("{} ({}; {})", domain.value.key, route_holder(domain.value.scope),
                         sharing_text(domain.value.sharing)),
             domain.basis);
}

void describe_network(const NetworkInputs& inputs, const NetworkDecision& network,
                      EffectiveDataplane& out) {
  out.agent = network.agent;
  out.has_ipv6_tunnel = cni::profile_of(network.agent).nodes->has_ipv6_tunnel;
  out.row = network.row;
  out.not_modelled_because = network.not_modelled_because;
  out.dataplane = values_of(network.dataplane);
  add_reasons(out.reasons, "dataplane", network.dataplane);
  if (network.secondary) {
    const bool is_ipv4 = *inputs.families.secondary() == Family::Ipv4;
    out.secondary_dataplane = values_of(*network.secondary);
    add_reasons(out.reasons, is_ipv4 ? "dataplane_v4" : "dataplane_v6", *network.secondary);
  }
  out.nameservers = cni::nameservers(inputs).addresses;
  out.masquerade = values_of(network.masquerade);
  add_reasons(out.reasons, network.masquerade);
}

/// Adds a reason with the numbers of cloud routes at the workers' minimum and maximum of nodes.
void describe_used_routes(const NetworkInputs& inputs, EffectiveDataplane& out) {
  const effective::RouteCount count = effective::route_count(out);
  const rules::NodeCount nodes = rules::count_nodes(inputs.spec.shoot);
  const std::int64_t least = count.of(nodes.minimum);
  const std::int64_t most = count.of(nodes.maximum);
  add_reason(out.reasons, "route_quota",
             fmt::format("{} to {} of {}", least, most, out.route_room.routes),
             {fmt::format("the {} holds {} routes at the workers' minimum of nodes and {} at their "
                          "maximum; other shoots may share it",
                          inputs.provider.routes.quota->holder, least, most),
              out.route_room.source, !out.route_room.is_set});
}

/// Sets the route quota and what counts against it. Adds a reason where routes count against a
/// known quota, or where the provider has route tables with an unknown quota.
void describe_route_quota(const NetworkInputs& inputs, EffectiveDataplane& out) {
  const provider::Profile& provider = inputs.provider;
  out.ovn = inputs.landscape.openstack_ovn;
  out.route_room = effective::route_room(provider.provider, inputs.landscape.route_quotas);
  out.gateway_endpoints =
      static_cast<std::int64_t>(inputs.spec.shoot.infrastructure.gateway_endpoints.size());
  if (provider.routes.pods != provider::PodPath::RouteTable) return;
  if (out.route_room.routes != 0) {
    if (effective::has_cloud_routes(out) && provider.routes.quota)
      describe_used_routes(inputs, out);
    return;
  }
  add_reason(out.reasons, "route_quota", "no limit",
             effective::as_assumed(
                 "the provider's route quota is not known, so a route table accepts every route",
                 "topologies/provider"));
}

void describe_size(const Addressing& addressing, EffectiveDataplane& out) {
  add_reason(out.reasons, "node_cidr_mask_size", std::to_string(out.node_cidr_mask_size),
             addressing.node_cidr_mask_size.basis);
  add_reason(out.reasons, "max_nodes", out.max_nodes ? std::to_string(*out.max_nodes) : "unknown",
             addressing.max_nodes.basis);
  add_reason(out.reasons, "max_pods", std::to_string(out.max_pods), addressing.max_pods.basis);
}

void describe_workers(const PodNetworkSpec& spec, const provider::Profile& provider,
                      EffectiveDataplane& out) {
  for (const manifest::WorkerPool& pool : spec.shoot.workers) {
    out.workers.push_back({.name = pool.name,
                           .minimum = pool.minimum,
                           .maximum = pool.maximum,
                           .zones = pool.zones,
                           .machine_type = pool.machine_type,
                           .place = pool.place,
                           .in_place = pool.is_updated_in_place()});
    for (const std::string& zone : pool.zones)
      if (std::ranges::find(out.zones, zone) == out.zones.end()) out.zones.push_back(zone);
  }
  out.node_subnets = effective::node_subnets(spec.shoot, provider);
}

void describe_node_machine(const PodNetworkSpec& spec, EffectiveDataplane& out) {
  out.machine = effective::node_machine(spec, out.provider_name);
  const effective::NodeMachine& machine = out.machine;
  if (machine.type.empty()) return;
  std::string why = fmt::format("worker pool {}: {}", machine.pool, describe_machine(machine));
  const std::string source = machine.published_in();
  if (!source.empty()) why += fmt::format(" ({})", source);
  if (!machine.other_types.empty())
    why += fmt::format("; other pools have {}", fmt::join(machine.other_types, ", "));
  add_reason(out.reasons, "machine", machine.type,
             {effective::LazyText(std::move(why)), machine.place, false});
}

Decided<Stage> decide_stage(const PodNetworkSpec& spec, StageChoice choice) {
  if (choice == StageChoice::Create) return {Stage::Create, {"asked for", "--stage create"}};
  if (choice == StageChoice::Live) return {Stage::Live, {"asked for", "--stage live"}};
  if (spec.live)
    return {
        Stage::Live,
        {fmt::format("{}, so it was read from a landscape", spec.live->value), spec.live->place}};
  return {Stage::Create,
          as_assumed("it has no uid, resourceVersion or status, so it is about to be created",
                     spec.place)};
}

const provider::Profile& profile_for(const PodNetworkSpec& spec) {
  return provider::profile_of(spec.shoot.provider ? spec.shoot.provider->value : "");
}

ShootDecisions decide_shoot(const PodNetworkSpec& spec, const DeriveOptions& options) {
  const provider::Profile& provider = profile_for(spec);
  Decided<Stage> stage = decide_stage(spec, options.stage);
  const Stage life_cycle = stage.value;
  return {.stage = std::move(stage),
          .link_mtu = effective::decide_link_mtu(spec, provider, options.landscape, life_cycle),
          .routing_domain = effective::decide_routing_domain(spec, provider)};
}

NetworkInputs network_inputs(const PodNetworkSpec& spec, const DeriveOptions& options,
                             const ShootDecisions& shoot) {
  const provider::Profile& provider = profile_for(spec);
  const effective::Families families(spec);
  return {
      .spec = spec,
      .provider = provider,
      .landscape = options.landscape,
      .stage = shoot.stage.value,
      .families = families,
      .overlay = effective::decide_overlay(spec, provider, options.landscape, shoot.stage.value),
      .addressing = effective::decide_addressing(spec, provider, families),
      .link_mtu = shoot.link_mtu};
}

std::unique_ptr<const ExtensionInstance> open(const NetworkInputs& inputs,
                                              const DeclarativeExtensions& declarative) {
  const cni::NetworkExtension* extension = extension_of(inputs.spec.type.value, declarative);
  return extension != nullptr ? extension->open(inputs) : nullptr;
}

}  // namespace

EffectiveDataplane describe(const NetworkInputs& inputs, const ShootDecisions& shoot,
                            const NetworkDecision* network) {
  EffectiveDataplane out;
  out.opaque = network == nullptr;
  out.dataplane.link_mtu = shoot.link_mtu.value;
  describe_cluster(inputs, shoot.stage, out);
  if (network != nullptr)
    out.reasons.insert(out.reasons.end(), network->reasons.begin(), network->reasons.end());
  describe_addressing(inputs.addressing, out);
  out.node_cidr_mask_size_ipv6 = ipv6_mask(inputs.spec.shoot, out);
  describe_routing_domain(shoot.routing_domain, out);
  if (network != nullptr) describe_network(inputs, *network, out);
  describe_route_quota(inputs, out);
  describe_size(inputs.addressing, out);
  describe_workers(inputs.spec, inputs.provider, out);
  describe_node_machine(inputs.spec, out);
  return out;
}

ShootDerivation::ShootDerivation(const PodNetworkSpec& spec, const DeriveOptions& options)
    : decisions_(decide_shoot(spec, options)),
      inputs_(network_inputs(spec, options, decisions_)),
      network_(open(inputs_, options.declarative)) {}

Result<cni::NetworkDecision> ShootDerivation::decide() const {
  assert(network_ != nullptr);
  Result<cni::NetworkDecision> network = network_->decide();
  if (!network) return network;
  const auto complete = [&](effective::DecidedDataplane& dataplane, Family family) {
    auto routes = effective::decide_cloud_routes(inputs_, family, values_of(dataplane));
    dataplane.cloud_routes = {routes.value, std::move(routes.basis)};
    dataplane.route_gap = routes.gap;
    dataplane.service_routing = network->service_routing;
    dataplane.link_mtu = decisions_.link_mtu;
  };
  complete(network->dataplane, inputs_.families.primary());
  if (network->secondary) complete(*network->secondary, *inputs_.families.secondary());
  return network;
}

Stage stage_of(const PodNetworkSpec& spec, StageChoice choice) {
  return decide_stage(spec, choice).value;
}

namespace {

using cni::NetworkExtension;

void add_network_provider(const document::Tree& tree, Findings& findings,
                          DeclarativeExtensions& declarative) {
  auto provider = declarative::decode_network_provider(tree);
  if (!provider) {
    findings.insert(findings.end(), provider.error().begin(), provider.error().end());
    return;
  }
  if (extension_of(provider->type, declarative) != nullptr) {
    findings.push_back({.rule = "duplicate-network-type",
                        .message = fmt::format("{}: the network type {} already exists",
                                               provider->name, provider->type),
                        .object = document::object_of(tree),
                        .path = "spec.type",
                        .place = tree.root()["spec"]["type"].place(),
                        .hint = "give each type once; calico and cilium need no file"});
    return;
  }
  declarative.push_back(std::make_shared<declarative::Extension>(*std::move(provider)));
}

/// The finding "not-admitted" about the errors that the caller does not ignore.
std::optional<Finding> refusal_in(Findings findings, const DeriveOptions& options) {
  if (options.overlooks) std::erase_if(findings, options.overlooks);
  return manifest::not_admitted(findings);
}

/// Findings of the rules of admission and reconciliation. A NetworkConfig that cannot be decoded is
/// not checked further.
Findings check(const NetworkInputs& inputs, const ExtensionInstance* network,
               const DeriveOptions& options) {
  if (network != nullptr && refusal_in(network->config_findings(), options))
    return network->config_findings();
  rules::RuleReport report(inputs.spec);
  if (!inputs.admission_runs()) report.set_admitted();
  if (inputs.stage == Stage::Live) report.set_live();
  report.run(rules::provider_checks(), inputs);
  if (network != nullptr) network->check(report);
  report.run(rules::gardener_checks(), inputs);
  return report.take();
}

/// Turns the finding about a missing required field into a warning that the result assumes a common
/// value.
Finding answered_anyway(Finding omission) {
  omission.severity = std::min(omission.severity, Severity::Warning);
  omission.message += "; admission would refuse the shoot, and the result assumes a usual value";
  return omission;
}

/// Findings about required fields that are missing and for which a common value is assumed.
Findings find_omissions(const NetworkInputs& inputs) {
  rules::RuleReport report(inputs.spec);
  report.run(rules::omission_checks(), inputs);
  return report.take();
}

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

Finding unknown_extension(const PodNetworkSpec& spec) {
  return {.rule = "unsupported-cni",
          .severity = Severity::Warning,
          .message = fmt::format(
              "{}: Overlane does not model the network type {}: its dataplane is not known",
              spec.object.qualified(), spec.type.value),
          .object = spec.object,
          .path = spec.type.path,
          .place = spec.type.place,
          .hint = topology_library::describe_network_type(spec.type.value)};
}

Findings lint(const NetworkInputs& inputs, const ExtensionInstance* network,
              const EffectiveDataplane& dataplane, Severity least) {
  rules::RuleReport report(inputs.spec, least);
  if (inputs.stage == Stage::Live) report.set_live();
  report.run(rules::lints(), {inputs, dataplane});
  if (network != nullptr) network->lint(dataplane, report);
  Findings findings = report.take();
  if (network == nullptr) {
    findings.push_back(unknown_extension(inputs.spec));
  } else {
    const Findings& config = network->config_findings();
    findings.insert(findings.begin(), config.begin(), config.end());
  }
  return findings;
}

/// The network extension's decision about the shoot with other inputs; nothing if it fails.
std::optional<NetworkDecision> decide_as(const PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  if (shoot.network() == nullptr) return std::nullopt;
  auto decided = shoot.decide();
  return decided ? std::optional(*std::move(decided)) : std::nullopt;
}

/// The reported fields of `now` that differ in `then`, with the values of `then`.
void add_changes(const effective::DecidedDataplane& now, const effective::DecidedDataplane& then,
                 std::vector<std::string>& changes) {
  std::vector<effective::Reason> before;
  std::vector<effective::Reason> after;
  add_reasons(before, "dataplane", now);
  add_reasons(after, "dataplane", then);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string_view field = after[i].field.substr(after[i].field.find('.') + 1);
    std::string change = fmt::format("{} to {}", field, after[i].value);
    if (before[i].value != after[i].value && std::ranges::find(changes, change) == changes.end())
      changes.push_back(std::move(change));
  }
}

/// See EffectiveDataplane::unadmitted.
std::optional<EffectiveDataplane::Unadmitted> find_unadmitted(const NetworkInputs& inputs,
                                                              const DeriveOptions& options,
                                                              const NetworkDecision& stored,
                                                              const EffectiveDataplane& network) {
  const provider::Profile& provider = inputs.provider;
  const bool may_differ = provider.routes.switched_by_control_plane ||
                          provider.admission.pod_routes_when_routed ||
                          provider.admission.forces_dns_snat_off(inputs.spec.type.value);
  if (inputs.admission_runs() || !may_differ) return std::nullopt;
  PodNetworkSpec edited = inputs.spec;
  edited.is_changed = true;
  const auto admitted = decide_as(edited, options);
  if (!admitted) return std::nullopt;
  std::vector<std::string> changes;
  add_changes(stored.dataplane, admitted->dataplane, changes);
  if (stored.secondary && admitted->secondary)
    add_changes(*stored.secondary, *admitted->secondary, changes);
  if (values_of(stored.masquerade) != values_of(admitted->masquerade))
    changes.emplace_back("the masqueraded traffic");
  if (changes.empty()) return std::nullopt;
  return EffectiveDataplane::Unadmitted{
      fmt::format("{}", fmt::join(changes, ", ")),
      effective::pod_reach(network, network.dataplane) !=
          effective::pod_reach(network, values_of(admitted->dataplane))};
}

/// Sets the other plausible MTUs, and names them in the reason for the pods' MTU.
void describe_other_mtu(const NetworkInputs& inputs, const DeriveOptions& options,
                        EffectiveDataplane& out) {
  const auto link =
      effective::other_link_mtu(inputs.spec, inputs.provider, inputs.stage, inputs.link_mtu);
  if (!link) return;
  DeriveOptions other = options;
  other.landscape.link_mtu = link;
  const auto decided = decide_as(inputs.spec, other);
  if (!decided) return;
  const std::uint32_t pod = decided->dataplane.pod_mtu.value;
  out.other_mtu = {*link, pod};
  if (pod == out.dataplane.pod_mtu) return;
  const auto reason =
      std::ranges::find(out.reasons, "dataplane.pod_mtu", &effective::Reason::field);
  if (reason != out.reasons.end())
    reason->because += fmt::format("; {} if the link MTU is {}", pod, *link);
}

/// Implements examine() with the lints of severity `least` and above.
Examination examine(const PodNetworkSpec& spec, const DeriveOptions& options, Severity least) {
  const ShootDerivation shoot(spec, options);
  const NetworkInputs& inputs = shoot.inputs();
  const ExtensionInstance* network = shoot.network();
  Findings findings = check(inputs, network, options);
  const std::optional<Finding> refusal = refusal_in(findings, options);
  const Findings omissions = find_omissions(inputs);
  append(omissions, findings);
  if (refusal) return {fail(*refusal), std::move(findings)};
  std::optional<cni::NetworkDecision> decision;
  if (network != nullptr) {
    auto decided = shoot.decide();
    if (!decided) {
      findings.push_back(decided.error());
      return {fail(decided.error()), std::move(findings)};
    }
    decision = *std::move(decided);
  }
  EffectiveDataplane out = describe(inputs, shoot.decisions(), decision ? &*decision : nullptr);
  if (decision) {
    out.unadmitted = find_unadmitted(inputs, options, *decision, out);
    describe_other_mtu(inputs, options, out);
  }
  const Findings odd = lint(inputs, network, out, least);
  append(odd, findings);
  std::ranges::transform(omissions, std::back_inserter(out.findings), answered_anyway);
  std::ranges::copy_if(odd, std::back_inserter(out.findings), [](const Finding& finding) {
    return finding.severity >= Severity::Warning;
  });
  return {std::move(out), std::move(findings)};
}

Findings config_errors(const ShootDerivation& shoot, const DeriveOptions& options) {
  Findings errors;
  std::ranges::copy_if(
      shoot.network()->config_findings(), std::back_inserter(errors), [&](const Finding& one) {
        return one.severity == Severity::Error && !(options.overlooks && options.overlooks(one));
      });
  return errors;
}

}  // namespace

const NetworkExtension* extension_of(std::string_view type,
                                     const DeclarativeExtensions& declarative) {
  if (const cni::Profile* coded = cni::find_profile(type)) return coded->extension;
  for (const auto& one : declarative)
    if (one->type() == type) return one.get();
  return nullptr;
}

bool describes_network(const document::Tree& tree) {
  const document::Value root = tree.root();
  return root["kind"].text() == declarative::kKind &&
         document::is_own_api_version(root["apiVersion"].text());
}

void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative) {
  for (const document::Tree& tree : stream.take_if(describes_network))
    add_network_provider(tree, stream.findings, declarative);
}

Examination examine(const PodNetworkSpec& spec, const DeriveOptions& options) {
  return examine(spec, options, Severity::Note);
}

Result<EffectiveDataplane> derive(const PodNetworkSpec& spec, const DeriveOptions& options) {
  return examine(spec, options, Severity::Warning).network;
}

Result<EffectiveDataplane> derive(const PodNetworkSpec& spec, const DeriveOptions& options,
                                  const document::Value& patch) {
  if (!patch.exists()) return derive(spec, options);
  return derive(manifest::with_network_config(spec, patch), options);
}

Findings judge_config(const PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  return shoot.network() == nullptr ? Findings() : shoot.network()->config_findings();
}

std::optional<Finding> undecodable_config(const PodNetworkSpec& spec, const DeriveOptions& options,
                                          const document::Value& patch) {
  return manifest::not_admitted(judge_config(manifest::with_network_config(spec, patch), options));
}

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  const effective::NetworkInputs& inputs = shoot.inputs();
  Outline outline{.stage = inputs.stage,
                  .provider = inputs.provider.provider,
                  .families = inputs.families,
                  .addressing = inputs.addressing,
                  .routing_domain = shoot.decisions().routing_domain};
  if (shoot.network() == nullptr) return outline;
  outline.config_errors = config_errors(shoot, options);
  if (!outline.config_errors.empty()) return outline;
  if (Result<cni::NetworkDecision> decision = shoot.decide())
    outline.network = *std::move(decision);
  return outline;
}

}  // namespace overlane::derive
