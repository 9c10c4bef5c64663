#include "topologies/overlap/testing/landscapes.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "topologies/overlap/report/find.h"

namespace overlane::overlap::testing {
namespace {

/// "key: {inside}, "; nothing for nothing.
std::string block(const std::string& key, const std::string& inside) {
  return inside.empty() ? "" : key + ": {" + inside + "}, ";
}

/// "key: value, "; nothing for nothing.
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
  return find_overlaps(*this, {.least = Severity::Note});
}

IpPrefix prefix(const std::string& text) {
  return IpPrefix::parse(text).value();
}

}  // namespace overlane::overlap::testing
