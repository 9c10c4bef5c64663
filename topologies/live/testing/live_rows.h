#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::live::testing {

// Rows of the tests of `overlane check --live`, and functions that write the objects of a cluster
// as `kubectl get -o yaml` prints them. Arguments named `spec` and `data` are the inside of a flow
// mapping.

/// A shoot on aws with pods 100.96.0.0/16 and nodes 10.250.0.0/16.
inline std::string shoot_yaml(const std::string& config, const std::string& type = "calico",
                              const std::string& kubernetes = "") {
  return manifest::testing::ShootText{.type = type,
                                      .config = config,
                                      .networking =
                                          "pods: 100.96.0.0/16\n"
                                          "    nodes: 10.250.0.0/16",
                                      .kubernetes = kubernetes}
      .yaml();
}

inline std::string node_yaml(const std::string& name, const std::string& spec,
                             const std::string& condition = "") {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\nspec: {" + spec +
         "}\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\"}\n" +
         (condition.empty() ? "" : "  - {type: NetworkUnavailable, " + condition + "}\n");
}

inline std::string node_with(const std::string& name, const std::string& range) {
  return node_yaml(name, "podCIDR: " + range + ", podCIDRs: [" + range + "]");
}

inline std::string pool_yaml(const std::string& name, const std::string& spec) {
  return "---\napiVersion: crd.projectcalico.org/v1\nkind: IPPool\nmetadata: {name: " + name +
         "}\nspec: {" + spec + "}\n";
}

inline std::string config_map_yaml(const std::string& name, const std::string& data) {
  return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
         ", namespace: kube-system}\ndata: {" + data + "}\n";
}

/// The DaemonSet calico-node with one environment variable.
inline std::string calico_node_yaml(const std::string& variable, const std::string& value) {
  return "---\napiVersion: apps/v1\nkind: DaemonSet\n"
         "metadata: {name: calico-node, namespace: kube-system}\n"
         "spec:\n  template:\n    spec:\n      containers:\n"
         "      - name: calico-node\n        env:\n        - {name: " +
         variable + ", value: \"" + value + "\"}\n";
}

inline std::string felix_yaml(const std::string& spec) {
  return "---\napiVersion: projectcalico.org/v3\nkind: FelixConfiguration\n"
         "metadata: {name: default}\nspec: {" +
         spec + "}\n";
}

/// A shoot, its cluster's objects, and whether a rule reports them.
struct LiveRow {
  const char* rule;
  bool broken;       ///< Whether a finding of the rule is expected.
  const char* what;  ///< Section and case: "§2.2: an IPIP pool of a routed shoot".
  std::string shoot;
  std::string cluster;
};

inline void PrintTo(const LiveRow& row, std::ostream* out) {
  *out << row.rule << ": " << row.what << "\n" << row.shoot << "---\n" << row.cluster;
}

std::vector<LiveRow> node_rows();
std::vector<LiveRow> calico_rows();
std::vector<LiveRow> cilium_rows();

}  // namespace overlane::live::testing
