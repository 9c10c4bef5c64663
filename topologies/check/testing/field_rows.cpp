#include "topologies/check/testing/reader_rows.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check::testing {
namespace {

constexpr const char* kCalicoConfig =
    "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, kind: NetworkConfig";

std::string with_config(const std::string& config) {
  return shoot_text("providerConfig: {" + config + "}");
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
      {"unknown-provider", replaced(sound, "type: aws, ", ""), sound},
  };
}

}  // namespace overlane::check::testing
