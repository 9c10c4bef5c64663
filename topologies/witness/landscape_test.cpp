#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/find.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {
namespace landscape_test {

using overlap::Overlap;
using overlap::OverlapReport;

/// What overlaps in the documents, with witnesses.
OverlapReport report_of(std::vector<overlap::Landscape> landscapes) {
  overlap::LandscapeReader reader(std::move(landscapes), {.threads = 1});
  const overlap::Comparison comparison(reader.read());
  OverlapReport report = find_overlaps(comparison, {});
  std::vector<const overlap::Shoot*> shoots;
  for (const overlap::Shoot& shoot : comparison.inventory.shoots)
    shoots.push_back(&shoot);
  add_witnesses(select_for_witness(report, report.overlaps.size()), reader.derive(shoots));
  return report;
}

OverlapReport report_of(document::Stream documents) {
  std::vector<overlap::Landscape> landscapes;
  landscapes.push_back({"", std::move(documents), {}});
  return report_of(std::move(landscapes));
}

/// What is refused, and what is about a shoot alone, sends no packets; where own pods need no
/// routes, nodes may be hurt and no packet.
bool may_lack_witness(const Overlap& overlap) {
  static const std::set<std::string_view> kWithout = {
      "overlap-hosts-collide",     "overlap-in-shoot",           "overlap-with-seed-ipv6",
      "overlap-gardener-reserved", "overlap-landscape-reserved", "overlap-cloud-services"};
  return kWithout.contains(overlap.impact.rule->id) ||
         (overlap.impact.rule->id == "overlap-routes-over-hosts" &&
          (needs_no_routes(overlap.a.dataplane_mode) || needs_no_routes(overlap.b.dataplane_mode)));
}

/// How many witnesses errors and warnings have: each shows a packet that goes wrong.
std::size_t expect_harm(const OverlapReport& report) {
  std::size_t witnesses = 0;
  for (const Overlap& overlap : report.overlaps) {
    if (!overlap.witness) {
      EXPECT_TRUE(may_lack_witness(overlap))
          << overlap.impact.rule->id << ' ' << overlap.a.owner << " x " << overlap.b.owner;
      continue;
    }
    ++witnesses;
    EXPECT_TRUE(overlap.witness->wrong)
        << overlap.impact.rule->id << ' ' << overlap.a.owner << ' ' << overlap.a.cidr.to_string()
        << " x " << overlap.b.owner << ' ' << overlap.b.cidr.to_string() << ": "
        << overlap.witness->sender << " reaches " << overlap.witness->lands << "; "
        << overlap.witness->because;
  }
  return witnesses;
}

TEST(WitnessLandscape, ShowsTheImpactOfEveryOverlapOfTheExample) {
  auto documents = document::read(source_file("topologies/library/landscape"));
  ASSERT_TRUE(documents) << documents.error().to_string();
  EXPECT_GT(expect_harm(report_of(*std::move(documents))), 30u);
}

document::Stream router_shoot(const std::string& landscape, const std::string& nodes,
                              const std::string& status) {
  return document::parse(
      fmt::format(
          "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
          "metadata: {{name: a, namespace: garden-dev, uid: u}}\n"
          "spec: {{provider: {{type: openstack, infrastructureConfig: {{networks: {{router: "
          "{{id: r}}}}}}, workers: [{{name: w, minimum: 3, maximum: 9}}]}}, networking: "
          "{{type: calico, pods: 100.96.0.0/11, services: 172.20.0.0/16, nodes: {}, "
          "providerConfig: {{overlay: {{enabled: false}}}}}}}}\nstatus: {{{}}}\n",
          nodes, status),
      landscape + ".yaml");
}

TEST(WitnessLandscape, CallsShootsAsTheReportDoesAndSupposesThemAwake) {
  std::vector<overlap::Landscape> landscapes;
  landscapes.push_back({"dev", router_shoot("dev", "10.250.0.0/16", ""), {}});
  landscapes.push_back({"live", router_shoot("live", "10.251.0.0/16", "hibernated: true"), {}});
  std::size_t seen = 0;
  for (const Overlap& overlap : report_of(std::move(landscapes)).overlaps) {
    if (!overlap.witness) continue;
    const overlap::ReportedWitness& witness = *overlap.witness;
    EXPECT_TRUE(witness.sender.starts_with("dev:garden-dev/a ") ||
                witness.sender.starts_with("live:garden-dev/a ") ||
                witness.sender.starts_with("a host"))
        << witness.sender;
    EXPECT_NE(witness.meant.find(":garden-dev/a "), std::string::npos) << witness.meant;
    EXPECT_EQ(witness.assumptions.front(), "live:garden-dev/a has woken up");
    ++seen;
  }
  EXPECT_GT(seen, 0u);
}

/// Shoots of one network and modes of all kinds, with ranges out of few.
class RandomShoots {
 public:
  explicit RandomShoots(unsigned seed) : random_(seed) {}

  std::string text(const std::string& provider, const std::string& network, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += shoot(provider, network, i);
    return text;
  }

 private:
  std::string shoot(const std::string& provider, const std::string& network, int number) {
    const std::string nodes = below(8) == 0 ? fmt::format("10.0.{}.0/24", 16 * number)
                                            : fmt::format("10.240.{}.0/24", 16 * number);
    std::string pods;
    do {
      pods = one_of({"10.0.0.0/12", "10.0.0.0/16", "10.0.64.0/18", "10.1.0.0/16", "10.240.0.0/18",
                     "10.8.0.0/16"});
    } while (IpPrefix::parse(pods)->overlaps(*IpPrefix::parse(nodes)));  // It would break itself.
    return fmt::format(
        "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
        "metadata: {{name: s{0}, namespace: garden-dev, uid: u{0}}}\n"
        "spec: {{credentialsBindingName: main, provider: {{type: {1}, infrastructureConfig: "
        "{{networks: {{{2}}}}}, workers: [{{name: w, minimum: 3, maximum: 9, zones: [a{3}]}}]}}, "
        "networking: {{type: calico, pods: {4}, services: 172.20.{0}.0/24, nodes: {5}, "
        "providerConfig: {{overlay: {{enabled: {6}}}, wireguardEncryption: {7}}}}}}}\n",
        number, provider, network, below(2) == 0 ? "" : ", b", pods, nodes,
        provider != "azure" && below(3) == 0,  // There calico has none.
        below(4) == 0);
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + below(static_cast<int>(texts.size())));
  }
  std::mt19937 random_;
};

TEST(WitnessLandscape, ShowsTheImpactOfEveryOverlapOfRandomShoots) {
  struct Network {
    const char* provider;
    const char* network;
  };
  const Network networks[] = {
      {"gcp", "vpc: {name: shared}"},
      {"aws", "vpc: {id: vpc-1}"},
      {"aws", "vpc: {id: vpc-1}, zones: [{name: a, workersSubnetID: subnet-1}]"},
      {"azure", "vnet: {name: v, resourceGroup: g}"},
      {"openstack", "router: {id: r-1}"},
      {"alicloud", "vpc: {id: vpc-1}"}};
  std::size_t witnesses = 0;
  for (unsigned seed = 0; seed < 48; ++seed) {
    const Network& network = networks[seed % 6];
    const std::string text = RandomShoots(seed).text(network.provider, network.network, 5);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    witnesses += expect_harm(report_of(document::parse(text, "random.yaml")));
  }
  EXPECT_GT(witnesses, 150u);
}

}  // namespace landscape_test
}  // namespace overlane::witness
