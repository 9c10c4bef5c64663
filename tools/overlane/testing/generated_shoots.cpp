#include "tools/overlane/testing/generated_shoots.h"

#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/random/stream.h"

// Each part of a shoot is selected at random from a table of texts. Common values are listed more
// than once. Combinations that admission rejects are included, because verbs must agree about them,
// too.

namespace overlane::agreement {
namespace {

constexpr std::string_view kProviders[] = {"aws",   "gcp",   "azure",   "openstack", "alicloud",
                                           "metal", "local", "stackit", "hcloud",    "equinix"};

constexpr std::string_view kCalico[] = {
    "",
    "overlay: {enabled: true}",
    "overlay: {enabled: true}",
    "overlay: {enabled: false}",
    "overlay: {enabled: false}",
    "overlay: {enabled: false, createPodRoutes: true}",
    "overlay: {enabled: true, createPodRoutes: true}",
    "overlay: {enabled: false}, backend: bird",
    "overlay: {enabled: false, createPodRoutes: true}, backend: bird",
    "backend: none",
    "backend: bird",
    "backend: vxlan",
    "backend: bird, ipv4: {mode: Never}",
    "backend: bird, ipv4: {mode: CrossSubnet}",
    "backend: bird, ipv4: {mode: Always, pool: ipip}",
    "backend: vxlan, ipv4: {mode: CrossSubnet, pool: vxlan}",
    "overlay: {enabled: true}, vxlan: {enabled: true}",
    "overlay: {enabled: false}, vxlan: {enabled: true}",
    "backend: none, wireguardEncryption: true",
    "overlay: {enabled: false}, wireguardEncryption: true",
    "overlay: {enabled: true}, wireguardEncryption: true",
};
constexpr std::string_view kCalicoMtu[] = {
    "", "", "", "vethMTU: \"1430\"", "vethMTU: \"1500\"", "vethMTU: \"8951\""};
constexpr std::string_view kCalicoIpam[] = {"", "", "ipam: {type: host-local, cidr: usePodCIDR}",
                                            "ipam: {type: calico-ipam}"};

constexpr std::string_view kCilium[] = {
    "",
    "overlay: {enabled: true}",
    "overlay: {enabled: false}",
    "overlay: {enabled: false, createPodRoutes: true}",
    "tunnel: disabled",
    "tunnel: vxlan",
    "tunnel: geneve",
    "overlay: {enabled: true}, tunnel: geneve",
    "overlay: {enabled: true}, tunnel: geneve, loadBalancingMode: dsr",
    "overlay: {enabled: false}, encryption: {enabled: true, mode: wireguard}",
    "overlay: {enabled: true}, encryption: {enabled: true, mode: wireguard}",
    "tunnel: disabled, encryption: {enabled: true, mode: wireguard}",
};
constexpr std::string_view kCiliumMtu[] = {"", "", "", "mtu: 1400", "mtu: 1500", "mtu: 9000"};

constexpr std::string_view kRanges[] = {
    "pods: 100.96.0.0/11\n    nodes: 10.250.0.0/16",
    "pods: 100.96.0.0/11\n    nodes: 10.250.0.0/16",
    "pods: 10.96.0.0/11\n    nodes: 10.250.0.0/16",
    "pods: 10.250.16.0/20\n    nodes: 10.250.0.0/20",
};
constexpr std::string_view kZones[] = {"a", "a, b"};
constexpr std::string_view kCounts[] = {"minimum: 2, maximum: 2", "minimum: 3, maximum: 3",
                                        "minimum: 1, maximum: 3", "minimum: 2, maximum: 4"};
constexpr std::string_view kControlPlanes[] = {
    "", "", "{cloudControllerManager: {useCustomRouteController: true}}",
    "{cloudControllerManager: {useCustomRouteController: false}}"};
constexpr std::string_view kStackitControlPlanes[] = {
    "", "{cloudControllerManager: {name: openstack}}",
    "{cloudControllerManager: {name: openstack}}", "{cloudControllerManager: {name: stackit}}"};
constexpr std::uint32_t kLinkMtus[] = {0, 0, 0, 1400, 1500, 3900, 8951};

/// Whether OpenStack's network uses OVN: unknown, no, yes.
constexpr std::optional<bool> kOvn[] = {std::nullopt, false, true};

/// IP families for shoots of providers that may have IPv6.
constexpr std::string_view kFamilies[] = {"", "", "", "[IPv4, IPv6]", "[IPv6]"};

/// Node subnets in a provider's InfrastructureConfig.
std::string infrastructure_of(std::string_view provider, bool two_zones) {
  if (provider == "aws") {
    return two_zones ? "{networks: {vpc: {cidr: 10.250.0.0/16}, zones: ["
                       "{name: a, workers: 10.250.0.0/19, public: 10.250.96.0/22, internal: "
                       "10.250.112.0/22}, {name: b, workers: 10.250.32.0/19, public: "
                       "10.250.100.0/22, internal: 10.250.116.0/22}]}}"
                     : "{networks: {vpc: {cidr: 10.250.0.0/16}, zones: [{name: a, workers: "
                       "10.250.0.0/19, public: 10.250.96.0/22, internal: 10.250.112.0/22}]}}";
  }
  if (provider == "azure")
    return two_zones ? "{zoned: true, networks: {vnet: {cidr: 10.250.0.0/16}, zones: ["
                       "{name: 1, cidr: 10.250.0.0/19}, {name: 2, cidr: 10.250.32.0/19}]}}"
                     : "{zoned: true, networks: {vnet: {cidr: 10.250.0.0/16}, workers: "
                       "10.250.0.0/19}}";
  if (provider == "hcloud") return "{networks: {workersConfiguration: {cidr: 10.250.0.0/19}}}";
  return "{networks: {workers: 10.250.0.0/19}}";
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(seed, StreamUse::Pattern, 0) {}

  template <typename T, std::size_t N>
  const T& one_of(const T (&list)[N]) {
    return list[stream_.below(N)];
  }
  bool one_in(std::uint64_t count) { return stream_.below(count) == 0; }

 private:
  RandomStream stream_;
};

/// A YAML flow mapping of the parts: "{overlay: {enabled: true}, mtu: 1400}". Empty if all parts
/// are empty.
std::string flow_mapping(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts)
    if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : ", ", part);
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace

GeneratedShoot generate_shoot(std::uint64_t seed) {
  Draw draw(seed);
  const std::string_view provider = draw.one_of(kProviders);
  const bool is_calico = draw.one_in(2);
  const std::string_view zones = draw.one_of(kZones);
  GeneratedShoot shoot;
  manifest::testing::ShootText& text = shoot.text;
  text.provider = provider;
  text.type = is_calico ? "calico" : "cilium";
  text.config =
      is_calico
          ? flow_mapping({draw.one_of(kCalico), draw.one_of(kCalicoMtu), draw.one_of(kCalicoIpam)})
          : flow_mapping({draw.one_of(kCilium), draw.one_of(kCiliumMtu)});
  text.networking = fmt::format("{}\n    services: 100.64.0.0/13", draw.one_of(kRanges));
  const bool is_encrypted = text.config.find("ncryption") != std::string::npos;
  // On GCP, IPv6 pod CIDRs contain the nodes' addresses. The model does not represent that
  // WireGuard's own packets do not follow the pods' routes.
  if (provider == "aws" || (provider == "gcp" && !is_encrypted)) {
    const std::string_view families = draw.one_of(kFamilies);
    if (families == "[IPv6]") text.networking.clear();  // The cloud chooses the ranges.
    if (!families.empty())
      text.networking +=
          fmt::format("{}ipFamilies: {}", text.networking.empty() ? "" : "\n    ", families);
  }
  const bool is_zoned = zones.size() > 1;
  const bool numbers_zones = provider == "azure";
  text.workers = fmt::format("[{{name: w, {}, zones: [{}]}}]", draw.one_of(kCounts),
                             !numbers_zones ? zones
                             : is_zoned     ? "\"1\", \"2\""
                                            : "\"1\"");
  if (provider == "aws" || provider == "hcloud" || !draw.one_in(3))
    text.infrastructure = infrastructure_of(provider, is_zoned);
  if (const std::string_view stored =
          draw.one_of(provider == "stackit" ? kStackitControlPlanes : kControlPlanes);
      !stored.empty())
    text.infrastructure =
        fmt::format("{}\n    controlPlaneConfig: {}",
                    text.infrastructure.empty() ? "{}" : text.infrastructure, stored);
  shoot.options.stage = draw.one_in(2) ? derive::StageChoice::Create : derive::StageChoice::Live;
  if (const std::uint32_t mtu = draw.one_of(kLinkMtus); mtu > 0)
    shoot.options.landscape.link_mtu = mtu;
  shoot.options.landscape.openstack_ovn = draw.one_of(kOvn);
  return shoot;
}

std::string describe(std::uint64_t seed, const GeneratedShoot& shoot) {
  const std::optional<bool> ovn = shoot.options.landscape.openstack_ovn;
  return fmt::format("seed {}, {}, landscape.link-mtu {}, landscape.openstack.ovn {}\n{}", seed,
                     shoot.options.stage == derive::StageChoice::Live ? "live" : "create",
                     shoot.options.landscape.link_mtu.value_or(0),
                     !ovn   ? "unknown"
                     : *ovn ? "true"
                            : "false",
                     shoot.text.yaml());
}

}  // namespace overlane::agreement
