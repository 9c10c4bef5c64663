#pragma once

#include <string>

namespace overlane::manifest::testing {

// Texts of Gardener objects for tests.

/// "key: value" on a line of its own; nothing for an empty value.
inline std::string yaml_line(const std::string& indentation, const std::string& key,
                             const std::string& value) {
  return value.empty() ? "" : indentation + key + ": " + value + "\n";
}

/// Writes a Shoot manifest from the parts that a test varies; empty parts are left out.
struct ShootText {
  std::string provider = "aws";
  std::string infrastructure;  ///< Flow mapping: "{networks: {vpc: {id: vpc-1}}}".
  std::string workers;         ///< Flow sequence.
  std::string type = "calico";
  std::string config;      ///< Flow mapping, the NetworkConfig without apiVersion and kind.
  std::string networking;  ///< A further line of spec.networking: "nodes: 10.0.0.0/8".
  std::string kubernetes;  ///< Flow mapping.
  std::string spec;        ///< A further line of spec: "seedName: a".
  std::string status;      ///< Flow mapping.

  std::string yaml() const {
    std::string text =
        "apiVersion: core.gardener.cloud/v1beta1\n"
        "kind: Shoot\n"
        "metadata: {name: one, namespace: garden-dev}\n"
        "spec:\n";
    if (!provider.empty())
      text += "  provider:\n" + yaml_line("    ", "type", provider) +
              yaml_line("    ", "infrastructureConfig", infrastructure) +
              yaml_line("    ", "workers", workers);
    text += "  networking:\n" + yaml_line("    ", "type", type) +
            yaml_line("    ", "providerConfig", config);
    if (!networking.empty()) text += "    " + networking + "\n";
    if (!spec.empty()) text += "  " + spec + "\n";
    return text + yaml_line("  ", "kubernetes", kubernetes) + yaml_line("", "status", status);
  }
};

/// The Network of a shoot in a seed, with the given providerConfig (flow mapping). By default it
/// belongs to the shoot that ShootText writes.
inline std::string network_yaml(const std::string& type, const std::string& config,
                                const std::string& technical_id = "shoot--dev--one") {
  return "apiVersion: extensions.gardener.cloud/v1alpha1\n"
         "kind: Network\n"
         "metadata: {name: net, namespace: " +
         technical_id +
         "}\n"
         "spec:\n" +
         yaml_line("  ", "type", type) +
         "  podCIDR: 100.96.0.0/11\n"
         "  serviceCIDR: 100.64.0.0/13\n" +
         yaml_line("  ", "providerConfig", config);
}

/// Another object of a seed about the shoot of ShootText, such as an Infrastructure or a Worker.
/// `body` is the text after its metadata.
inline std::string extension_yaml(const std::string& kind, const std::string& body) {
  return "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: " + kind +
         "\nmetadata: {name: one, namespace: shoot--dev--one}\n" + body;
}

/// The Cluster of the shoot of ShootText; `spec` is a flow mapping.
inline std::string cluster_yaml(const std::string& spec) {
  return "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\n"
         "metadata: {name: shoot--dev--one}\nspec: " +
         spec + "\n";
}

/// An object of the garden without a namespace, such as a Seed; `spec` is a flow mapping.
inline std::string garden_yaml(const std::string& kind, const std::string& name,
                               const std::string& spec) {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: " + kind + "\nmetadata: {name: " + name +
         "}\nspec: " + spec + "\n";
}

}  // namespace overlane::manifest::testing
