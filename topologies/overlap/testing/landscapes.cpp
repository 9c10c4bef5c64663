#include "topologies/overlap/testing/landscapes.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap::testing {

namespace {

/// "key: {inside}, "; empty if `inside` is empty.
std::string block(const std::string& key, const std::string& inside) {
  return inside.empty() ? "" : key + ": {" + inside + "}, ";
}

/// "key: value, "; empty if `value` is empty.
std::string field(const std::string& key, const std::string& value) {
  return value.empty() ? "" : key + ": " + value + ", ";
}

std::string more(const std::string& inside) {
  return inside.empty() ? "" : inside + ", ";
}

void require_usable(const Findings& findings) {
  for (const Finding& finding : findings)
    if (finding.severity == Severity::Error) throw std::invalid_argument(finding.to_string());
}

}  // namespace

std::string ShootText::yaml() const {
  const std::string networking =
      "type: calico, " + field("pods", pods) + field("services", services) + field("nodes", nodes) +
      (families.empty() ? "" : "ipFamilies: [" + families + "], ") +
      fmt::format("providerConfig: {{overlay: {{enabled: {}}}}}", overlay);
  const std::string workers =
      fmt::format("workers: [{{name: w, minimum: {}, maximum: {}}}]", minimum, maximum);
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {namespace: garden-dev, "
         "name: " +
         name + (live ? ", uid: 1-2-3" : "") + "}\nspec: {" +
         field("credentialsBindingName", credentials) + more(spec) +
         block("networking", networking) + "provider: {type: " + provider + ", " +
         block("infrastructureConfig", more(config) + block("networks", networks)) + workers +
         "}}\n" + (status.empty() ? "" : "status: {" + status + "}\n");
}

std::string texts(const std::vector<ShootText>& shoots, const std::string& others) {
  std::string text = others;
  for (const ShootText& shoot : shoots)
    text += "\n---\n" + shoot.yaml();
  return text;
}

std::string infrastructure(const std::string& shoot, const std::string& provider,
                           const std::string& provider_status) {
  return fmt::format(
      "---\napiVersion: extensions.gardener.cloud/v1alpha1\nkind: Infrastructure\n"
      "metadata: {{namespace: shoot--dev--{0}, name: {0}}}\n"
      "spec: {{type: {1}}}\nstatus: {{providerStatus: {{{2}}}}}\n",
      shoot, provider, provider_status);
}

std::string routing_domains(const std::string& spec) {
  return "---\napiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
         "spec: {" +
         spec + "}\n";
}

std::string node(const std::string& name, int second, const std::string& address,
                 const std::string& pod_cidr, const std::string& provider_id) {
  return fmt::format(
      "---\napiVersion: v1\nkind: Node\n"
      "metadata: {{name: {}, creationTimestamp: '2026-01-01T00:00:{:02}Z'}}\n"
      "spec: {{podCIDR: {}{}}}\nstatus: {{addresses: [{{type: InternalIP, address: {}}}]}}\n",
      name, second, pod_cidr, provider_id.empty() ? "" : ", providerID: '" + provider_id + "'",
      address);
}

Inventory read(const std::string& yaml, ReadOptions options) {
  std::vector<Landscape> landscapes;
  landscapes.push_back({"", document::parse(yaml, "x.yaml"), {}});
  require_usable(landscapes[0].documents.findings);
  options.threads = 1;
  Inventory inventory = LandscapeReader(std::move(landscapes), std::move(options)).read();
  require_usable(inventory.findings);
  return inventory;
}

LocatedShoots::LocatedShoots(const std::string& yaml, ReadOptions options)
    : Comparison(read(yaml, std::move(options))) {}

const Shoot& LocatedShoots::shoot(const std::string& name) const {
  return *std::ranges::find(inventory.shoots, name,
                            [](const Shoot& shoot) { return shoot.object.name; });
}

const RoutingScope& LocatedShoots::routing_scope(const std::string& name) const {
  return routing_scopes.shoots[static_cast<std::size_t>(&shoot(name) - inventory.shoots.data())];
}

OverlapReport LocatedShoots::report() const {
  return find_overlaps(*this, {.min_severity = Severity::Note});
}

IpPrefix prefix(const std::string& text) {
  return IpPrefix::parse(text).value();
}

namespace {

Inventory read_texts(const std::string& yaml) {
  std::vector<Landscape> landscapes;
  landscapes.push_back({"", document::parse(yaml, "x.yaml"), {}});
  return LandscapeReader(std::move(landscapes), {}).read();
}

constexpr const char* kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: {0}, namespace: garden-dev}}
spec:
  cloudProfile: {{name: gcp}}
  region: europe-west1
  credentialsBindingName: gcp
  provider:
    type: gcp
    infrastructureConfig:
      apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      networks:
        vpc: {{name: shared-vpc}}
        workers: {1}
    workers:
    - {{name: a, machine: {{type: n2-standard-4}}, minimum: 2, maximum: 4, zones: [b]}}
  networking:
    type: calico
    nodes: {1}
    services: 100.64.0.0/13
{2}    providerConfig:
      apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1
      kind: NetworkConfig
      overlay: {{enabled: {3}}}
  kubernetes: {{version: 1.33.3}}
---
)";

}  // namespace

ReportedLandscape::ReportedLandscape(const std::string& yaml, const FindOptions& options)
    : Comparison(read_texts(yaml)), report(find_overlaps(*this, options)) {}

std::string yaml_of(const std::vector<GcpShoot>& shoots) {
  std::string yaml;
  for (const GcpShoot& shoot : shoots)
    yaml += fmt::format(fmt::runtime(kShoot), shoot.name, shoot.nodes,
                        shoot.pods.empty() ? "" : fmt::format("    pods: {}\n", shoot.pods),
                        shoot.overlay);
  return yaml;
}

namespace {

End routed_pods(const std::string& name) {
  End end{.object = {"Shoot", "garden-dev", name},
          .role = Role::Pods,
          .cidr = IpPrefix::parse("100.96.0.0/11").value(),
          .dataplane_mode = DataplaneMode::Routed,
          .place = {name + ".yaml", 7, 11},
          .path = "spec.networking.pods"};
  end.shoot = end.owner = end.object.qualified();
  return end;
}

}  // namespace

Overlap contested(const std::string& a, const std::string& b) {
  Overlap overlap{.kind = "pods-pods",
                  .routing_domain = "gcp/shared-vpc",
                  .a = routed_pods(a),
                  .b = routed_pods(b),
                  .consequence = "packets go astray",
                  .nodes_until_conflict = 0,
                  .creations_until_conflict = 0};
  overlap.impact = {&rule("overlap-routes-contested"), Severity::Error};
  overlap.intersection = overlap.a.cidr;
  return overlap;
}

OverlapReport report_of(std::vector<Overlap> overlaps) {
  OverlapReport report;
  for (const Overlap& overlap : overlaps) {
    auto group = GroupIndex(report.groups).of(overlap);
    if (!group) {
      group = report.groups.size();
      report.groups.push_back({.routing_domain = overlap.routing_domain,
                               .impact = overlap.impact,
                               .kind = overlap.kind});
    }
    ++report.groups[*group].pairs;
    ++report.groups[*group].listed;
  }
  report.overlaps = std::move(overlaps);
  return report;
}

}  // namespace overlane::overlap::testing
