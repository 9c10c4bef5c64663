// Checks that no two verbs contradict each other about a shoot: which component writes routes,
// which pods reach each other, and the MTU. Tests generated shoots first, then shoots for which
// verbs once contradicted each other.

#include "tools/overlane/testing/contradictions.h"

#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace contradictions_test {

using agreement::contradictions;
using agreement::Counts;
using agreement::GeneratedShoot;
using agreement::traced_text;
using manifest::testing::ShootText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Contradictions, ThereAreNoneOverGeneratedShoots) {
  constexpr std::uint64_t kShoots = 500;
  Counts counts;
  for (std::uint64_t seed = 0; seed < kShoots; ++seed) {
    const GeneratedShoot shoot = agreement::generate_shoot(seed);
    SCOPED_TRACE(agreement::describe(seed, shoot));
    EXPECT_THAT(contradictions(shoot, counts), IsEmpty());
  }
  for (const char* provider : {"aws", "gcp", "azure", "openstack", "alicloud", "metal", "local",
                               "stackit", "hcloud", "equinix"})
    EXPECT_GT(counts[std::string("provider ") + provider], 20u) << provider;
  for (const char* what :
       {"refused", "reached", "reached in part", "unreached", "routes written",
        "routes not-written", "routes not-needed", "fits the link", "exceeds the link",
        "unrouted: vxlan-left-over", "unrouted: calico-ipam-without-overlay",
        "migrate go-with-impact", "migrate outage", "migrate no-go", "migrate no-switch"})
    EXPECT_GT(counts[what], 0u) << what;
}

/// Makes a shoot with two nodes, in one zone unless `zones` differs.
GeneratedShoot shoot_of(const std::string& provider, const std::string& type,
                        const std::string& config, derive::StageChoice stage,
                        const std::string& zones = "a") {
  return {.text = {.provider = provider,
                   .workers = "[{name: w, minimum: 2, maximum: 2, zones: [" + zones + "]}]",
                   .type = type,
                   .config = config,
                   .networking = "pods: 10.96.0.0/11\n    nodes: 10.250.0.0/16\n"
                                 "    services: 100.64.0.0/13"},
          .options = stage};
}

std::string explained(const GeneratedShoot& shoot) {
  return unwrapped(agreement::explained_text(shoot));
}

void expect_none(const GeneratedShoot& shoot) {
  Counts counts;
  EXPECT_THAT(contradictions(shoot, counts), IsEmpty());
}

TEST(Contradictions, PodsBehindWireGuardNeedNoRoutesOfTheNetwork) {
  using derive::StageChoice;
  for (const char* provider : {"local", "hcloud", "stackit", "aws"}) {
    const GeneratedShoot calico = shoot_of(
        provider, "calico", "{backend: none, wireguardEncryption: true}", StageChoice::Live);
    EXPECT_THAT(explained(calico), HasSubstr("through WireGuard, without another tunnel "
                                             "(routes: felix)"));
    expect_none(calico);
    const GeneratedShoot cilium =
        shoot_of(provider, "cilium",
                 "{overlay: {enabled: false}, encryption: {enabled: true, mode: wireguard}}",
                 StageChoice::Create);
    EXPECT_THAT(explained(cilium), HasSubstr("through WireGuard, without another tunnel "
                                             "(routes: cilium)"));
    expect_none(cilium);
  }
}

TEST(Contradictions, TheHeadlineKnowsThatTheNetworkDropsTheOverlay) {
  const GeneratedShoot shoot =
      shoot_of("azure", "calico", "{overlay: {enabled: true}}", derive::StageChoice::Live);
  EXPECT_THAT(explained(shoot), HasSubstr("pods do not reach other nodes: the network of "
                                          "provider azure drops the overlay's packets"));
  expect_none(shoot);
}

// STACKIT's route controller is disabled if the Shoot names the backend bird, and for STACKIT's own
// cloud controller manager. The network extension starts BIRD only with createPodRoutes.
TEST(Contradictions, OnStackitRoutesFollowTheBackendAndTheCloudControllerManager) {
  constexpr const char* kBird = "{overlay: {enabled: false}, backend: bird}";
  constexpr const char* kRoutedByBird =
      "{overlay: {enabled: false, createPodRoutes: true}, backend: bird}";
  constexpr const char* kRouted = "{overlay: {enabled: false}}";
  for (const char* manager : {"openstack", "stackit"})
    for (const char* config : {kBird, kRoutedByBird, kRouted}) {
      SCOPED_TRACE(std::string(manager) + " " + config);
      GeneratedShoot shoot =
          shoot_of("stackit", "calico", config, derive::StageChoice::Live, "a, b");
      shoot.text.infrastructure =
          "{networks: {workers: 10.250.0.0/19}}\n    controlPlaneConfig: "
          "{cloudControllerManager: {name: " +
          std::string(manager) + "}}";
      expect_none(shoot);
      const bool reaches =
          config == kRoutedByBird || (config == kRouted && manager == std::string("openstack"));
      EXPECT_THAT(traced_text(shoot), HasSubstr(reaches ? "DELIVERED" : "DROPPED"));
    }
}

TEST(Contradictions, TheHeadlineKnowsOfBirdsUnreachableRoutes) {
  const GeneratedShoot shoot =
      shoot_of("gcp", "calico", "{overlay: {enabled: false, createPodRoutes: true}}",
               derive::StageChoice::Create);
  EXPECT_THAT(explained(shoot), HasSubstr("pods do not reach other nodes: BIRD writes "
                                          "unreachable routes to their pods"));
  expect_none(shoot);
}

TEST(Contradictions, TheHeadlineKnowsThatOvnDropsPacketsFromPods) {
  using derive::StageChoice;
  for (const auto& [type, config, stage] :
       {std::tuple{"calico", "{overlay: {enabled: false}}", StageChoice::Create},
        std::tuple{"cilium", "{overlay: {enabled: false}}", StageChoice::Create},
        std::tuple{"calico", "{backend: bird, ipv4: {mode: CrossSubnet}}", StageChoice::Live}}) {
    GeneratedShoot shoot = shoot_of("openstack", type, config, stage);
    SCOPED_TRACE(agreement::describe(0, shoot));
    shoot.options.landscape.openstack_ovn = true;
    EXPECT_THAT(explained(shoot), HasSubstr("pods do not reach other nodes: they are routed "
                                            "without a tunnel, and OVN drops packets from pod "
                                            "addresses"));
    EXPECT_THAT(traced_text(shoot), HasSubstr("DROPPED at gate filter"));
    expect_none(shoot);
    shoot.options.landscape.openstack_ovn = false;
    EXPECT_THAT(explained(shoot), Not(HasSubstr("pods do not reach other nodes")));
    expect_none(shoot);
  }
}

TEST(Contradictions, NoVerbTakesAddressesWithoutRoutesForReachable) {
  struct Row {
    const char* config;
    const char* rule;
  };
  for (const char* provider : {"aws", "gcp", "openstack", "metal", "ironcore"})
    for (const Row& row :
         {Row{"{overlay: {enabled: false}, vxlan: {enabled: true}}", "vxlan-left-over"},
          Row{"{overlay: {enabled: false}, ipam: {type: calico-ipam}}",
              "calico-ipam-without-overlay"},
          Row{"{overlay: {enabled: false}, ipam: {type: host-local, cidr: 10.112.0.0/16}}",
              "ipam-cidr-shared-by-nodes"},
          Row{"{overlay: {enabled: true}, ipam: {type: host-local, cidr: 10.112.0.0/16}}",
              "ipam-cidr-shared-by-nodes"}}) {
      const GeneratedShoot shoot =
          shoot_of(provider, "calico", row.config, derive::StageChoice::Live);
      SCOPED_TRACE(agreement::describe(0, shoot));
      EXPECT_THAT(explained(shoot), HasSubstr("pods do not reach other nodes, except by chance"));
      Counts counts;
      EXPECT_THAT(contradictions(shoot, counts), IsEmpty());
      EXPECT_GT(counts[std::string("unrouted: ") + row.rule], 0u);
    }
}

// If a provider is unknown, verbs assume that its routes are written.
TEST(Contradictions, RoutesOfAnUnknownProviderAreACondition) {
  for (const char* provider : {"ironcore", "vsphere", "equinixmetal"})
    for (const char* type : {"calico", "cilium"}) {
      const GeneratedShoot routed = shoot_of(provider, type, "{overlay: {enabled: false}}",
                                             derive::StageChoice::Create, "a, b");
      SCOPED_TRACE(agreement::describe(0, routed));
      const std::string condition = fmt::format(
          ", if provider {} writes routes to the nodes' pods: nothing is known of it", provider);
      EXPECT_THAT(explained(routed), HasSubstr(condition));
      EXPECT_THAT(unwrapped(traced_text(routed)),
                  HasSubstr("DELIVERED to node-2/pod-0" + condition));
      expect_none(routed);
      const GeneratedShoot overlay =
          shoot_of(provider, type, "{overlay: {enabled: true}}", derive::StageChoice::Create);
      EXPECT_THAT(explained(overlay), Not(HasSubstr(", if provider")));
      EXPECT_THAT(traced_text(overlay), HasSubstr("DELIVERED to node-2/pod-0."));
      expect_none(overlay);
    }
}

// BIRD announces the blocks of calico-ipam, but only within the subnet; the cloud's routes cover
// other subnets.
TEST(Contradictions, BirdRoutesBlocksOfCalicoIpamWithinASubnet) {
  const char* const config =
      "{overlay: {enabled: false, createPodRoutes: true}, ipam: {type: calico-ipam}}";
  const GeneratedShoot one = shoot_of("alicloud", "calico", config, derive::StageChoice::Live);
  const GeneratedShoot two =
      shoot_of("alicloud", "calico", config, derive::StageChoice::Live, "a, b");
  EXPECT_THAT(explained(two), Not(HasSubstr("pods reach other nodes")));
  expect_none(one);
  expect_none(two);
}

TEST(Contradictions, WhatNodesAnnounceByBgpIsOfNoRouteController) {
  const GeneratedShoot shoot =
      shoot_of("metal", "calico", "{overlay: {enabled: false}}", derive::StageChoice::Create);
  EXPECT_THAT(traced_text(shoot), HasSubstr("-> node-2 (BGP)"));
  EXPECT_THAT(traced_text(shoot), Not(HasSubstr("route controller")));
  expect_none(shoot);
}

// The nodes announce their pods once the agent has switched.
TEST(Contradictions, ASwitchToRoutedPodsEndsWithRoutesByBgp) {
  const GeneratedShoot shoot =
      shoot_of("metal", "cilium", "{overlay: {enabled: true}}", derive::StageChoice::Create);
  expect_none(shoot);
}

TEST(Contradictions, ARouteThatNothingWritesIsLeftToAnOperator) {
  const GeneratedShoot shoot =
      shoot_of("local", "cilium", "{overlay: {enabled: false, createPodRoutes: true}}",
               derive::StageChoice::Create, "a, b");
  EXPECT_THAT(traced_text(shoot), HasSubstr("-> node-2 (user)"));
  expect_none(shoot);
}

}  // namespace contradictions_test
}  // namespace overlane::command
