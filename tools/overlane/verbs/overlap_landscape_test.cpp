#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"
#include "topologies/overlap/pairs/impact.h"

namespace overlane::command {
namespace overlap_landscape_test {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::Pair;

constexpr const char* kLandscape = "topologies/library/landscape";

/// The report of the example in docs/reference/overlap.md, computed once.
const json& report() {
  static const json value = [] {
    const Answer answer = run_overlane(std::string("overlap --notes -o json ") + kLandscape);
    EXPECT_EQ(answer.exit_code, 1) << answer.err;
    return json::parse(answer.out);
  }();
  return value;
}

struct Expected {
  std::string domain;
  std::string rule;
  std::string severity;
  std::string sharing;
  std::uint64_t pairs;
  const char* because;
};

using Key = std::tuple<std::string, std::string, std::string, std::string>;

std::map<Key, std::uint64_t> pairs_by_key(bool notes) {
  std::map<Key, std::uint64_t> pairs;
  for (const json& overlap : report()["overlaps"])
    if ((overlap["severity"] == "note") == notes)
      ++pairs[{overlap["routing_domain"], overlap["rule"], overlap["severity"],
               overlap["sharing"]}];
  return pairs;
}

// The expected findings were derived from the manifests by the rules of docs/reference/overlap.md,
// "What an overlap means", not copied from the output.
TEST(OverlapLandscape, HasTheExpectedErrorsAndWarnings) {
  const std::string shop = "aws/vpc-0a000000000000001";
  const std::string data = "aws/vpc-0a000000000000002";
  const std::string staging = "aws/vpc-0a000000000000003";
  const std::string hub_vnet = "azure/network-rg/hub-vnet";
  const std::string apac = "alicloud/vpc-eu00000000000000000a1";
  const std::string erp = "openstack/00000000-aaaa-4000-8000-000000000001";
  const std::string v6 = "openstack/00000000-aaaa-4000-8000-000000000002";
  const Expected rows[] = {
      {"aws/shoot/garden-shop/campaign", "overlap-gardener-reserved", "error", "sure", 1,
       "shop/campaign: pods in 244.0.0.0/8"},
      {"local/host", "overlap-in-shoot", "warning", "sure", 1,
       "dev/six-a: IPv6 services inside its pods"},
      {"local/host", "overlap-with-seed-ipv6", "error", "sure", 1,
       "dev/six-b has the pods of edge6"},
      {"gcp/shoot/garden-media/archive", "overlap-landscape-reserved", "warning", "sure", 1,
       "media/archive: pods in 10.42/15"},

      {"gcp/shared-vpc", "overlap-routes-contested", "error", "sure", 1, "web x index"},
      {"gcp/shared-vpc", "overlap-routes-over-hosts", "error", "sure", 1, "encode x build farm"},
      {"gcp/shared-vpc", "overlap-routes-contested", "warning", "sure", 2,
       "player's pods are assumed: x web, index"},
      {"gcp/shared-vpc", "overlap-routes-contested", "warning", "possible", 3,
       "nobody says what sandbox's project is: x web, index, player"},
      {"gcp/shared-vpc", "overlap-routes-capture-overlay", "warning", "sure", 3,
       "index-batch has an overlay: x web, index, player"},
      {"gcp/shared-vpc", "overlap-routes-capture-overlay", "warning", "possible", 1,
       "index-batch x sandbox"},
      {"gcp/analytics", "overlap-routes-contested", "error", "sure", 1, "stream x adhoc"},
      {"gcp/analytics", "overlap-routes-over-hosts", "error", "sure", 1,
       "stream's pods x adhoc's nodes"},

      {shop, "overlap-between-clusters", "warning", "sure", 1, "checkout x ledger"},
      {shop, "overlap-routes-over-hosts", "error", "sure", 2,
       "checkout, ledger x the secondary range"},
      {shop, "overlap-pods-hide-hosts", "warning", "sure", 1, "ledger-old x the secondary range"},
      {data, "overlap-routes-contested", "error", "sure", 1, "lake x stream: one declared table"},
      {data, "overlap-routes-contested", "warning", "possible", 1,
       "ml x notebooks: nobody says what tables their subnets have"},
      {staging, "overlap-routes-over-hosts", "error", "sure", 1,
       "loadtest's pods x the VPC that Gardener made for staging"},
      {"connection/hub", "overlap-announced-twice", "error", "sure", 2,
       "tracking x checkout, ledger"},
      {"connection/hub", "overlap-hosts-beyond-connection", "error", "sure", 1,
       "tracking's nodes x the data centre"},
      {"connection/hub", "overlap-routes-over-hosts", "error", "sure", 1,
       "tracking's pods x the shop's secondary range"},
      {"connection/hub", "overlap-pods-hide-hosts", "warning", "sure", 1,
       "returns' pods x the data centre"},
      {"connection/hub", "overlap-routes-capture-overlay", "warning", "sure", 1,
       "tracking's routes x ledger-old's overlay"},
      {"connection/hub", "overlap-services-hide-hosts", "warning", "sure", 1,
       "returns' services x the data centre"},

      {hub_vnet, "overlap-routes-contested", "error", "sure", 1,
       "line-a x line-b: one declared table"},
      {hub_vnet, "overlap-between-clusters", "warning", "sure", 1, "telemetry x devices"},
      {erp, "overlap-routes-contested", "error", "sure", 2,
       "batch x files; batch x yearend, which is hibernated"},
      {erp, "overlap-hosts-collide", "error", "sure", 1, "archive's nodes x batch's"},
      {erp, "overlap-routes-capture-overlay", "warning", "sure", 3, "core x batch, files, yearend"},
      {v6, "overlap-routes-contested", "error", "sure", 1, "v6-a x v6-b, in IPv6"},
      {apac, "overlap-routes-contested", "error", "sure", 1, "front x cart: the system table"},
      {apac, "overlap-between-clusters", "warning", "sure", 2,
       "billing has a table of its own: x front, cart"},
      {"alicloud/shoot/garden-apac/legacy", "overlap-cloud-services", "warning", "sure", 1,
       "apac/legacy: pods over the cloud's name servers"},
      {"connection/racks", "overlap-announced-twice", "error", "sure", 1, "rack-a x rack-b"},
  };
  std::map<Key, std::uint64_t> found = pairs_by_key(false);
  for (const Expected& row : rows) {
    const Key key{row.domain, row.rule, row.severity, row.sharing};
    EXPECT_EQ(found[key], row.pairs) << row.domain << ' ' << row.rule << ": " << row.because;
    found.erase(key);
  }
  for (const auto& [key, pairs] : found)
    ADD_FAILURE() << std::get<0>(key) << ' ' << std::get<1>(key) << ' ' << pairs;
}

TEST(OverlapLandscape, CountsHarmlessOverlaps) {
  struct Row {
    const char* rule;
    std::uint64_t pairs;
    const char* because;
  };
  constexpr Row kRows[] = {
      // Pairs of the shoots of gcp shared and analytics, aws shop, data and staging, azure,
      // openstack, dual-stack (both families), alicloud and local, with 6, 2, 3, 4, 2, 5, 5, 2, 3
      // and 2 shoots: 15 + 1 + 3 + 6 + 1 + 10 + 10 + 2 + 3 + 1. Over connections: tracking x 3 in
      // the shop's VPC, reports x 4 of its project in hub-vnet, rack-a x rack-b.
      {"overlap-services-repeated", 52 + 3 + 4 + 1, "the seeds' default"},
      {"overlap-with-seed", 12,
       "pods and services of core, batch, files, yearend, v6-a, v6-b on os-dc1"},
      {"overlap-services-hide-pods", 8,
       "the Runtime k-cart x 3 shoots of the shop, both ways; and x tracking, over the hub"},
      {"overlap-tables-of-their-own", 4,
       "ledger-old x checkout, ledger; mesh x telemetry, devices"},
      {"overlap-hidden-by-overlay", 1, "local-a x local-b"},
      {"overlap-nodes-divided", 6 + 6,
       "the 4 shoots of the shop, of which k-cart's nodes lie in the others'; the 4 of data"},
      {"overlap-not-announced", 2, "reports x telemetry, devices"},
  };
  std::map<std::string, std::uint64_t> found;
  for (const auto& [key, pairs] : pairs_by_key(true))
    found[std::get<1>(key)] += pairs;
  for (const Row& row : kRows)
    EXPECT_EQ(found[row.rule], row.pairs) << row.rule << ": " << row.because;
}

TEST(OverlapLandscape, CountsTheNodesUntilPodCidrsOverlap) {
  using Numbers = std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>;
  std::map<std::pair<std::string, std::string>, Numbers> found;
  const auto number = [](const json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<std::uint64_t>());
  };
  for (const json& overlap : report()["overlaps"])
    if (overlap["rule"] == "overlap-routes-contested")
      found[{overlap["a"]["shoot"], overlap["b"]["shoot"]}] = {
          number(overlap["nodes_until_conflict"]), number(overlap["creations_until_conflict"])};
  // adhoc begins at stream's pod CIDR 128. stream uses 3 below it, so it needs 129 - 3 nodes from
  // the start. Its newest Node has 117: 118 to 128 are 11 more.
  EXPECT_THAT(found, Contains(Pair(Pair("garden-analytics/adhoc", "garden-analytics/stream"),
                                   Numbers(126, 11))));
  EXPECT_THAT(found, Contains(Pair(Pair("garden-search/index", "garden-shop/web"), Numbers(0, 0))));
  // sandbox begins at index's pod CIDR 4,096; 6 of index's pod CIDRs are in use.
  EXPECT_THAT(found, Contains(Pair(Pair("garden-lab/sandbox", "garden-search/index"),
                                   Numbers(4091, 4091))));
}

TEST(OverlapLandscape, DistinguishesUrgencies) {
  std::map<std::pair<std::string, std::string>, std::string> found;
  for (const json& overlap : report()["overlaps"])
    if (overlap["severity"] == "error" && overlap["kind"] != "pods-declared" &&
        !overlap["b"]["shoot"].is_null())
      found[{overlap["a"]["shoot"], overlap["b"]["shoot"]}] = overlap["urgency"];
  const auto of = [&](const char* a, const char* b) { return found[{a, b}]; };
  EXPECT_EQ(of("garden-search/index", "garden-shop/web"), "now");
  EXPECT_EQ(of("garden-analytics/adhoc", "garden-analytics/stream"), "later");
  EXPECT_EQ(of("garden-erp/batch", "garden-erp/files"), "now");
  EXPECT_EQ(of("garden-erp/batch", "garden-erp/yearend"), "later");
  EXPECT_EQ(of("garden-erp/archive", "garden-erp/batch"), "not-created");
}

TEST(OverlapLandscape, ExceedsTwoRouteQuotas) {
  std::map<std::string, json> budgets;  // By name; the fuller table is listed first.
  for (const json& budget : report()["route_budget"])
    budgets.emplace(budget["routing_domain"], budget);
  // batch has at least 18 nodes and files 15; yearend has none while it is hibernated.
  const json& router = budgets.at("openstack/00000000-aaaa-4000-8000-000000000001");
  EXPECT_EQ(router["routes_minimum"], 33);
  EXPECT_EQ(router["quota"], 30);
  // web has at most 150 nodes, index 120, encode 24 and player 12; 12 routes are declared.
  const json& network = budgets.at("gcp/shared-vpc");
  EXPECT_EQ(network["routes_maximum"], 318);
  EXPECT_EQ(network["quota"], 300);
}

/// The text from `begin` up to `end`. Moves `at` behind it.
std::string between(const std::string& text, std::size_t& at, const std::string& begin,
                    const std::string& end) {
  at = text.find(begin, at);
  if (at == text.npos) return "";
  const std::size_t start = at + begin.size();
  at = text.find(end, start) + end.size();
  return text.substr(start, at - end.size() - start);
}

TEST(OverlapLandscape, ShowsEveryRule) {
  std::set<std::string> found;
  for (const json& overlap : report()["overlaps"])
    found.insert(overlap["rule"]);
  for (const json& finding : report()["findings"])
    found.insert(finding["rule"]);
  // One rule concerns the file of --baseline, not a landscape.
  const Answer refused =
      run_overlane(fmt::format("overlap --baseline {0}/domains.yaml {0}", kLandscape));
  EXPECT_EQ(refused.exit_code, 3);
  std::size_t at = 0;
  found.insert(between(refused.err, at, "[", "]"));
  // Another rule requires --propose.
  const Answer full = run_overlane(
      fmt::format("overlap --quiet --domain gcp/shared-vpc --propose 3/8 {}", kLandscape));
  if (full.err.find("[no-free-range]") != std::string::npos) found.insert("no-free-range");
  for (const rules::Rule& rule : overlap::rules())
    EXPECT_THAT(found, Contains(rule.id));
  EXPECT_THAT(found, Contains("network-not-modelled"));
}

TEST(OverlapLandscape, HasShootsOfEveryProvider) {
  const Answer answer = run_overlane(std::string("explain -o json ") + kLandscape);
  const json explained = json::parse(answer.out);
  EXPECT_GE(explained["networks"].size(), 30u);
  std::set<std::string> providers;
  for (const json& network : explained["networks"])
    providers.insert(network["provider"]);
  EXPECT_THAT(providers, ElementsAre("alicloud", "aws", "azure", "gcp", "local", "metal",
                                     "openstack", "vsphere"));
}

TEST(OverlapLandscape, HasNoUnexpectedFindings) {
  const Answer answer = run_overlane(std::string("check -o json ") + kLandscape);
  std::set<std::string> found;
  const json checked = json::parse(answer.out);
  for (const json& finding : checked["findings"])
    if (finding["severity"] != "note") found.insert(finding["rule"]);
  EXPECT_THAT(found, ElementsAre("deprecated-api-version", "ipv6-overlaps-seed",
                                 "ipv6-ranges-overlap", "reserved-range"));
}

}  // namespace overlap_landscape_test
}  // namespace overlane::command
