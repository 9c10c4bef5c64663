#include "topologies/check/testing/reader_rows.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check::testing {
namespace {

constexpr const char* kCalicoConfig =
    "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, kind: NetworkConfig";

std::string with_config(const std::string& config) {
  return shoot_text("providerConfig: {" + config + "}");
}

/// A shoot on a seed with these networks.
std::string on_seed(const std::string& networks) {
  return shoot_with("seedName: a") + "---\n" +
         manifest::testing::garden_yaml("Seed", "a", "{networks: {" + networks + "}}");
}

std::string cilium_with(const std::string& config) {
  return replaced(with_config(config), "calico", "cilium");
}

}  // namespace

std::vector<ReaderRow> field_rows() {
  const std::string sound = shoot_text();
  const std::string network = manifest::testing::network_yaml("calico", "");
  const std::string config = kCalicoConfig;
  return {
      {"wrong-type", shoot_with("region: 5"), shoot_with("region: \"5\"")},
      {"missing-key", replaced(network, "  podCIDR: 100.96.0.0/11\n", ""), network},
      {"unknown-key", with_config("ovrlay: {enabled: false}"),
       with_config("overlay: {enabled: false}")},
      {"unknown-field", shoot_with("regoin: a"), shoot_with("region: a")},
      {"bad-value", shoot_text("ipFamilies: [IPv5]"), shoot_text("ipFamilies: [IPv4]")},
      {"invalid-cidr", shoot_text("pods: 100.96.0.5/11"), sound},
      {"deprecated-field", replaced(network, "podCIDR", "clusterCIDR"), network},
      {"removed-field", cilium_with("psp: {}"), cilium_with("")},
      {"wrong-api-version", with_config(replaced(config, "v1alpha1", "v1")), with_config(config)},
      {"wrong-kind", with_config(replaced(config, "kind: NetworkConfig", "kind: Network")),
       with_config(config)},
      {"seed-ranges-overlap", on_seed("pods: 10.0.0.0/8, services: 10.2.0.0/16"),
       on_seed("pods: 10.0.0.0/16, services: 10.2.0.0/16")},
      {"seed-reserved-range", on_seed("pods: 244.1.0.0/16"), on_seed("pods: 10.1.0.0/16")},
      {"seed-services-too-large", on_seed("services: 10.0.0.0/7"), on_seed("services: 10.0.0.0/8")},
      {"unknown-provider", replaced(sound, "type: aws, ", ""), sound},
  };
}

}  // namespace overlane::check::testing
