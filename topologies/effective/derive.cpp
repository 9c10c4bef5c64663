#include "topologies/effective/derive.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/effective/admission.h"
#include "topologies/effective/dataplane_decision.h"
#include "topologies/effective/fabric_decision.h"
#include "topologies/effective/masquerade_decision.h"

namespace overlane::effective {
namespace {

using manifest::ClusterSpec;

Decided<Stage> decide_stage(const ClusterSpec& spec, StageChoice choice) {
  if (choice == StageChoice::Create) return {Stage::Create, {"asked for", "--stage create"}};
  if (choice == StageChoice::Live) return {Stage::Live, {"asked for", "--stage live"}};
  if (spec.live)
    return {Stage::Live,
            {fmt::format("{}, so it was read from a landscape", spec.live->value),
             spec.live->place.to_string()}};
  return {Stage::Create,
          as_assumed("it has no uid, resourceVersion or status, so it is about to be created",
                     spec.place.to_string())};
}

/// No Gardener document says which release of Calico runs.
Decided<CalicoVersion> decide_calico_version(const std::optional<CalicoVersion>& asked) {
  if (asked) return {*asked, {"asked for", "--calico-version"}};
  return {kShippedCalico,
          as_assumed(fmt::format("the release that Gardener's extension ships; from {} on Felix "
                                 "programs the routes of IPIP pools instead of BIRD",
                                 to_string(kFelixProgramsIpip)),
                     "gardener-extension-networking-calico charts/images.yaml")};
}

std::string join(const std::vector<IpPrefix>& ranges) {
  std::vector<std::string> words;
  for (const IpPrefix& range : ranges)
    words.push_back(range.to_string());
  return fmt::format("{}", fmt::join(words, ", "));
}

void describe_cluster(const ClusterSpec& spec, const ProviderRules& rules,
                      const Decided<Stage>& stage, EffectiveDataplane& out) {
  out.kind = spec.object.kind;
  out.name = spec.object.name;
  out.namespace_ = spec.object.namespace_;
  out.source = spec.place.to_string();
  out.place = spec.place;
  out.stage = stage.value;
  out.provider = rules.provider;
  out.provider_name = spec.shoot.provider ? spec.shoot.provider->value : "";
  out.cni = spec.cni == manifest::CniType::Calico ? Cni::Calico : Cni::Cilium;
  out.ip_families = spec.ip_families ? spec.ip_families->value : std::vector<std::string>{"IPv4"};

  add_reason(out.reasons, "stage", to_string(out.stage), stage.basis);
  add_reason(
      out.reasons, "provider", out.provider_name.empty() ? "unknown" : out.provider_name,
      spec.shoot.provider
          ? as_given(*spec.shoot.provider)
          : as_assumed("no document names the provider, so no provider's rules apply", out.source));
  add_reason(out.reasons, "cni", to_string(out.cni), as_given(spec.type));
  add_reason(out.reasons, "ip_families", fmt::format("{}", fmt::join(out.ip_families, ", ")),
             spec.ip_families
                 ? as_given(*spec.ip_families)
                 : as_assumed("ipFamilies is not given, which means IPv4",
                              "gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go"));
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

void describe_routing_domain(const Decided<RoutingDomain>& domain, EffectiveDataplane& out) {
  out.routing_domain = domain.value;
  add_reason(out.reasons, "routing_domain",
             fmt::format("{} (scope {}, sharing {})", domain.value.key,
                         to_string(domain.value.scope), to_string(domain.value.sharing)),
             domain.basis);
}

void describe_dataplane(const DataplaneDecision& decision, const Basis& link_mtu,
                        const Decided<ServiceRouting>& services, EffectiveDataplane& out) {
  out.row = decision.row;
  const std::uint32_t mtu = out.dataplane.link_mtu;
  out.dataplane = decision.dataplane;
  out.dataplane.link_mtu = mtu;
  out.dataplane.service_routing = services.value;
  const Dataplane& d = out.dataplane;
  const auto add = [&](std::string_view field, std::string_view value, const Basis& basis) {
    add_reason(out.reasons, fmt::format("dataplane.{}", field), value, basis);
  };
  add("mode", to_string(d.mode), decision.mode);
  add("encapsulation", to_string(d.encapsulation), decision.encapsulation);
  add("cross_subnet", d.cross_subnet ? "true" : "false", decision.encapsulation);
  add("backend", to_string(d.backend), decision.backend);
  add("routes_by", to_string(d.routes_by), decision.routes_by);
  add("service_routing", to_string(d.service_routing), services.basis);
  add("encryption", to_string(d.encryption), decision.encryption);
  add("link_mtu", std::to_string(d.link_mtu), link_mtu);
  add("pod_mtu", std::to_string(d.pod_mtu), decision.pod_mtu);
  add("overhead_bytes", std::to_string(d.overhead_bytes), decision.overhead);
}

void describe_masquerade(MasqueradeDecision decision, EffectiveDataplane& out) {
  out.masquerade = std::move(decision.masquerade);
  const auto add = [&](std::string_view field, const std::vector<IpPrefix>& ranges,
                       const Basis& basis) {
    add_reason(out.reasons, fmt::format("dataplane.{}", field),
               ranges.empty() ? "none" : join(ranges), basis);
  };
  add("masqueraded", out.masquerade.sources, decision.sources);
  add("masquerade_except", out.masquerade.except, decision.except);
  add("masqueraded_dns", out.masquerade.upstream_dns, decision.upstream_dns);
}

void describe_size(const Addressing& addressing, EffectiveDataplane& out) {
  add_reason(out.reasons, "node_cidr_mask_size", std::to_string(out.node_cidr_mask_size),
             addressing.node_cidr_mask_size.basis);
  add_reason(out.reasons, "max_nodes", std::to_string(out.max_nodes), addressing.max_nodes.basis);
  add_reason(out.reasons, "max_pods", std::to_string(out.max_pods), addressing.max_pods.basis);
}

void describe_workers(const ClusterSpec& spec, EffectiveDataplane& out) {
  for (const manifest::WorkerPool& pool : spec.shoot.workers) {
    out.workers.push_back({.name = pool.name,
                           .minimum = pool.minimum,
                           .maximum = pool.maximum,
                           .zones = pool.zones,
                           .machine_type = pool.machine_type,
                           .place = pool.place});
    for (const std::string& zone : pool.zones)
      if (std::ranges::find(out.zones, zone) == out.zones.end()) out.zones.push_back(zone);
  }
  for (const manifest::InfrastructureZone& zone : spec.shoot.infrastructure.zones)
    if (const auto workers = zone.workers ? zone.workers->value.ipv4() : std::nullopt)
      out.zone_subnets.push_back({zone.name, *workers});
}

}  // namespace

Result<EffectiveDataplane> derive(const ClusterSpec& spec, const DeriveOptions& options) {
  const ProviderRules& rules = rules_of(spec.shoot.provider ? spec.shoot.provider->value : "");
  const Decided<Stage> stage = decide_stage(spec, options.stage);
  const OverlayDecision overlay = decide_overlay(spec, rules, stage.value);
  const Addressing addressing = decide_addressing(spec);
  const AdmissionInputs admission{spec, rules, overlay, addressing};
  if (auto finding = refused_by_admission(admission)) return fail(*std::move(finding));

  const Decided<std::uint32_t> link_mtu = decide_link_mtu(spec, rules);
  const Decided<CalicoVersion> calico = decide_calico_version(options.calico);
  const DataplaneInputs inputs{spec, rules, stage.value, overlay, link_mtu.value, calico.value};
  const Result<DataplaneDecision> decision =
      spec.cni == manifest::CniType::Calico ? decide_calico(inputs) : decide_cilium(inputs);
  if (!decision) return fail(decision.error());

  EffectiveDataplane out;
  out.dataplane.link_mtu = link_mtu.value;
  describe_cluster(spec, rules, stage, out);
  if (out.cni == Cni::Calico)
    add_reason(out.reasons, "calico_version", to_string(calico.value), calico.basis);
  describe_addressing(addressing, out);
  describe_routing_domain(decide_routing_domain(spec, rules), out);
  describe_dataplane(*decision, link_mtu.basis, decide_service_routing(spec, stage.value), out);
  describe_masquerade(decide_masquerade(inputs, addressing, decision->dataplane), out);
  describe_size(addressing, out);
  describe_workers(spec, out);
  out.findings = oddities(admission, out);
  return out;
}

Result<EffectiveDataplane> derive(const ClusterSpec& spec, const DeriveOptions& options,
                                  const document::Value& patch) {
  if (!patch.exists()) return derive(spec, options);
  const Result<ClusterSpec> patched = manifest::with_network_config(spec, patch);
  if (!patched) return fail(patched.error());
  return derive(*patched, options);
}

}  // namespace overlane::effective
