#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "topologies/cni/calico/live/live.h"

namespace overlane::calico {
namespace {

using effective::Encapsulation;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kPoolTemplate =
    "gardener-extension-networking-calico charts/internal/calico/templates/ippool/ippool.yaml";

/// Rows of calico's truth table in which overlay.enabled is false.
constexpr std::array<std::string_view, 5> kOffByKey = {"T4", "T5", "T6", "D1", "D4"};

bool is_off_by_key(const ObservedInputs& in) {
  return std::ranges::find(kOffByKey, in.expected.row) != kOffByKey.end();
}

bool is_enabled(const ObservedPool& pool) {
  return !pool.disabled || !pool.disabled->value;
}

/// IPv4 pools for pods: the pool that Gardener renders for nodes is disabled.
std::vector<const ObservedPool*> pod_pools(const ObservedInputs& in) {
  std::vector<const ObservedPool*> pools;
  for (const ObservedPool& pool : in.observed.pools)
    if (is_enabled(pool) && pool.cidr && pool.cidr->value.is_ipv4()) pools.push_back(&pool);
  return pools;
}

std::vector<IpPrefix> ipv4_pods(const ObservedInputs& in) {
  std::vector<IpPrefix> pods = in.expected.pods;
  std::erase_if(pods, [](const IpPrefix& range) { return !range.is_ipv4(); });
  return pods;
}

/// The default pool's mode of one encapsulation, as the chart or calico-node sets it.
std::string_view expected_mode(const ObservedInputs& in, Encapsulation encapsulation) {
  const effective::Dataplane& dataplane = in.expected.dataplane;
  if (dataplane.encapsulation != encapsulation) return "Never";
  return dataplane.cross_subnet ? "CrossSubnet" : "Always";
}

void check_mode(const ObservedPool& pool, const char* name, const Field<std::string>& mode,
                std::string_view expected, RuleReport& report) {
  const std::string observed = mode && !mode->value.empty() ? mode->value : "Never";
  if (observed != expected)
    report.add(mode ? mode->path : document::FieldPath(fmt::format("spec.{}", name)),
               mode ? mode->place : pool.place,
               fmt::format("IPPool {} has {} {}, but the manifest requires {}", pool.name, name,
                           observed, expected));
}

void check_modes(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool* pool : pod_pools(in)) {
    check_mode(*pool, "ipipMode", pool->ipip_mode, expected_mode(in, Encapsulation::Ipip), report);
    check_mode(*pool, "vxlanMode", pool->vxlan_mode, expected_mode(in, Encapsulation::Vxlan),
               report);
  }
}

void check_range(const ObservedInputs& in, RuleReport& report) {
  const std::vector<IpPrefix> pods = ipv4_pods(in);
  const auto pools = pod_pools(in);
  if (in.observed.pools.empty() || pods.empty()) return;
  if (pools.empty()) {
    report.add("spec.cidr", in.observed.pools.front().place,
               "no enabled IPPool of IPv4 was found, though the shoot has IPv4 pods");
    return;
  }
  for (const ObservedPool* pool : pools) {
    if (std::ranges::find(pods, pool->cidr->value) != pods.end()) continue;
    const std::string message =
        fmt::format("IPPool {} covers {}, but the pods' range is {}", pool->name,
                    pool->cidr->value.to_string(), pods.front().to_string());
    if (in.assumes("pods"))
      report.add_assumed(*pool->cidr, message);
    else
      report.add(*pool->cidr, message);
  }
}

void check_nat(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool* pool : pod_pools(in))
    if (!pool->nat_outgoing || !pool->nat_outgoing->value)
      report.add(pool->nat_outgoing ? pool->nat_outgoing->path : "spec.natOutgoing",
                 pool->nat_outgoing ? pool->nat_outgoing->place : pool->place,
                 fmt::format("IPPool {} has no natOutgoing: packets that leave the cluster keep "
                             "pod addresses, and answers cannot be routed back",
                             pool->name));
}

void check_block_size(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool& pool : in.observed.pools) {
    if (!is_enabled(pool) || !pool.cidr || !pool.block_size) continue;
    const std::int64_t expected = pool.cidr->value.is_ipv4() ? 26 : 122;
    if (pool.block_size->value != expected)
      report.add(*pool.block_size, fmt::format("IPPool {} has blocks of /{}, Gardener makes /{}",
                                               pool.name, pool.block_size->value, expected));
  }
}

void check_nodes_pool(const ObservedInputs& in, RuleReport& report) {
  const auto& nodes = in.spec.shoot.nodes;
  if (in.observed.pools.empty() || !nodes || !nodes->value.is_ipv4() || !is_off_by_key(in)) return;
  const auto found = std::ranges::find_if(in.observed.pools, [&](const ObservedPool& pool) {
    return pool.cidr && pool.cidr->value == nodes->value;
  });
  if (found == in.observed.pools.end())
    report.add(
        "spec.cidr", in.observed.pools.front().place,
        fmt::format(
            "no IPPool covers the nodes' range {}: packets from pods to nodes are masqueraded",
            nodes->value.to_string()));
  else if (is_enabled(*found))
    report.add(
        "spec.disabled", found->place,
        fmt::format(
            "IPPool {} covers the nodes' range and is not disabled: pods may get node addresses",
            found->name));
}

constexpr Check<ObservedInputs> kPoolChecks[] = {
    {{.id = "live-pool-mode",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The mode of an IPPool differs from the manifest.",
      .why = "BIRD and Felix follow the pool, not the manifest: it decides whether pods' packets "
             "are tunnelled.",
      .remedy =
          "find out why the last reconciliation did not write the pool, or correct the manifest",
      .source = kPoolTemplate},
     check_modes},
    {{.id = "live-pool-range",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pods' IPPool does not cover exactly the pod range.",
      .why = "Packets to pods outside all pools are masqueraded, and pods of another pool have "
             "addresses without a cloud route.",
      .remedy = "give the manifest of this cluster's shoot, or remove the left-over pool",
      .source = kPoolTemplate},
     check_range},
    {{.id = "live-pool-nat",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pods' IPPool lacks natOutgoing.",
      .why = "Gardener always sets it; without it packets to what is in no pool leave under the "
             "pods' addresses.",
      .remedy = "set natOutgoing: true",
      .source = kPoolTemplate},
     check_nat},
    {{.id = "live-pool-block-size",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "An IPPool does not have Gardener's block size (/26, /122).",
      .why = "A pool's block size cannot be changed; another size means that Gardener did not "
             "create the pool.",
      .remedy = "find out what created the pool",
      .source = kPoolTemplate},
     check_block_size},
    {{.id = "live-nodes-pool",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The overlay is off, but no disabled IPPool covers the node range.",
      .why = "natOutgoing masquerades packets to addresses outside all pools. The pool "
             "no-snat-for-node-cidr keeps pods' addresses towards nodes.",
      .remedy = "set spec.networking.nodes and have the shoot reconciled",
      .source = kPoolTemplate},
     check_nodes_pool},
};

}  // namespace

std::span<const Check<ObservedInputs>> pool_checks() {
  return kPoolChecks;
}

}  // namespace overlane::calico
