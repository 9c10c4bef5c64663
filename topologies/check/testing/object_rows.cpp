#include "topologies/check/testing/reader_rows.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check::testing {
namespace {

using manifest::testing::garden_yaml;

std::string then(const std::string& first, const std::string& second) {
  return first + "---\n" + second;
}

std::string patch(const std::string& metadata) {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {" + metadata +
         "}\nspec: {region: a}\n";
}

std::string network(const std::string& pods) {
  return "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\n"
         "metadata: {name: one, namespace: shoot--dev--one}\n"
         "spec: {type: calico, podCIDR: " +
         pods + ", serviceCIDR: 100.64.0.0/13}\n";
}

std::string list(const std::string& items) {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: SeedList\nitems: [" + items + "]\n";
}

std::string network_provider(const std::string& row) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: NetworkProvider\nmetadata: {name: a}\n"
         "spec:\n  type: a\n  fields: [{path: mode}]\n  rows:\n  - {name: A, because: it is so, " +
         row + "}\n";
}

constexpr const char* kRouted = "dataplane: {mode: routed}";
constexpr const char* kPodRoutes =
    "providerConfig: {overlay: {enabled: false, createPodRoutes: true}}";
constexpr const char* kLeftVxlan =
    "providerConfig: {overlay: {enabled: false, createPodRoutes: true}, vxlan: {enabled: true}}";

}  // namespace

std::vector<ReaderRow> object_rows() {
  const std::string sound = shoot_text();
  const std::string other = replaced(sound, "garden-dev", "garden-other");
  const std::string two = replaced(sound, "name: one", "name: two");
  const std::string provider = network_provider(kRouted);
  return {
      {"unsupported-kind", then(sound, "apiVersion: v1\nkind: Secret\n"), sound},
      {"unsupported-api-version", replaced(sound, "v1beta1", "v1alpha1"), sound},
      {"unsupported-fragment", replaced(sound, "type: calico", "ipFamilies: [IPv4]"), sound},
      {"invalid-name", replaced(sound, "name: one", "name: One"), sound},
      {"incomplete-document", "spec:\n  networking: {type: calico}\n", sound},
      {"deprecated-api-version",
       "apiVersion: garden.sapcloud.io/v1beta1\nkind: Shoot\n"
       "metadata: {name: one, namespace: garden-dev}\n"
       "spec: {cloud: {profile: aws, region: a, aws: {networks: {}}}}\n",
       sound},
      {"documents-disagree", then(sound, network("100.128.0.0/11")),
       then(sound, network("100.96.0.0/11"))},
      {"patch-applied", then(sound, patch("name: one")), sound},
      {"ambiguous-document", then(then(sound, other), patch("name: one")),
       then(then(sound, other), patch("name: one, namespace: garden-dev"))},
      {"unused-document", then(sound, garden_yaml("Seed", "a", "{}")),
       then(shoot_with("seedName: a"), garden_yaml("Seed", "a", "{}"))},
      {"duplicate-object", then(sound, sound), then(sound, two)},
      {"empty-list", list(""), list("{metadata: {name: a}}")},
      {"not-admitted", shoot_text("pods: 240.0.0.0/16"), sound, Reader::Explain},
      {"unsupported-cni", replaced(sound, "calico", "flannel"), sound},
      {"unsupported-combination", shoot_text(kLeftVxlan), shoot_text(kPodRoutes)},
      {"duplicate-network-type", then(provider, provider), provider},
      {"unknown-condition", network_provider(std::string("when: {moode: x}, ") + kRouted),
       network_provider(std::string("when: {mode: x}, ") + kRouted)},
      {"out-of-range",
       network_provider("dataplane: {mode: overlay, encapsulation: vxlan, routesBy: felix, "
                        "overheadBytes: 2000}"),
       network_provider("dataplane: {mode: overlay, encapsulation: vxlan, routesBy: felix, "
                        "overheadBytes: 50}")},
      {"unknown-rule",
       replaced(sound, "garden-dev}", "garden-dev, annotations: {overlane.dev/ignore: none}}"),
       replaced(sound, "garden-dev}",
                "garden-dev, annotations: {overlane.dev/ignore: public-range}}")},
      {"rule-not-silenced",
       replaced(sound, "garden-dev}",
                "garden-dev, annotations: {overlane.dev/ignore: reserved-range}}"),
       replaced(sound, "garden-dev}",
                "garden-dev, annotations: {overlane.dev/ignore: public-range}}")},
      {"no-counterpart", sound + kNow + two, sound + kNow + sound, Reader::Update},
  };
}

}  // namespace overlane::check::testing
