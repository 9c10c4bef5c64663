#include "topologies/check/testing/reader_rows.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check::testing {

namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

std::string nested(std::size_t levels) {
  return shoot_with("tolerations: " + repeated("[", levels) + repeated("]", levels));
}

/// The path of a sparse file of 5 GiB, which is removed when the program ends.
std::string huge_file() {
  struct Sparse {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("overlane-huge-" + std::to_string(::getpid()) + ".yaml");
    Sparse() {
      std::ofstream(path).close();
      std::filesystem::resize_file(path, std::uintmax_t{5} << 30);
    }
    ~Sparse() { std::filesystem::remove(path); }
  };
  static const Sparse file;
  return file.path;
}

/// A document of nested YAML aliases: each line has ten aliases of the line before it, so that four
/// lines expand to 11,110 values and five to 111,110.
std::string aliases(std::size_t lines) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (std::size_t i = 1; i < lines; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    text += name + ": &" + name + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  return text + shoot_text();
}

std::string comments(std::size_t mebibytes) {
  return shoot_text() + repeated("#" + std::string(1022, ' ') + "\n", mebibytes << 10);
}

}  // namespace

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string shoot_text(const std::string& networking) {
  return "apiVersion: core.gardener.cloud/v1beta1\n"
         "kind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev}\n"
         "spec:\n"
         "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 2}]}\n"
         "  networking:\n"
         "    type: calico\n"
         "    nodes: 10.250.0.0/16\n"
         "    " +
         networking + "\n";
}

std::string shoot_with(const std::string& spec) {
  return shoot_text() + "  " + spec + "\n";
}

std::vector<ReaderRow> document_rows() {
  const std::string sound = shoot_text();
  return {
      {"unreadable-file", "topologies/library/none.yaml", "topologies/library/gardenet.yaml",
       Reader::Path},
      {"empty-file", "# nothing\n", sound},
      {"binary-file", shoot_with("region: \xff"), shoot_with("region: \xc3\xa4")},
      {"invalid-yaml", shoot_with("region: [a"), shoot_with("region: a")},
      {"invalid-json", "{\"kind\" \"Shoot\"}", "{\"kind\": \"Shoot\"}"},
      {"duplicate-key", shoot_with("region: a\n  region: b"), shoot_with("region: a")},
      {"merge-key", shoot_with("<<: {region: a}"), shoot_with("region: a")},
      {"elision", sound + "...\nstatus: {}\n", sound + "...\n"},
      {"other-format", "variable \"pods\" {\n  default = \"10.0.0.0/8\"\n}\n", sound},
      {"template", shoot_with("region: {{ .Values.region }}"), shoot_with("region: a")},
      {"placeholder", shoot_with("region: <some-region>"), shoot_with("region: some-region")},
      {"nesting-limit", nested(199), nested(198)},
      {"alias-limit", aliases(5), aliases(4)},
      {"token-limit", shoot_with("region: " + std::string(std::size_t{3} << 20, 'x')),
       shoot_with("region: " + std::string(std::size_t{1} << 20, 'x'))},
      {"document-limit", comments(65), comments(1)},
      {"input-limit", huge_file(), "topologies/library/gardenet.yaml", Reader::Path},
      {"too-many-documents", "topologies/library/manifests/landscape.yaml",
       "topologies/library/gardenet.yaml", Reader::OneDocument},
  };
}

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

namespace {

constexpr const char* kCalicoConfig =
    "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, kind: NetworkConfig";

std::string with_config(const std::string& config) {
  return shoot_text("providerConfig: {" + config + "}");
}

/// A shoot and its Seed; `networks` is the inside of the Seed's spec.networks.
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
