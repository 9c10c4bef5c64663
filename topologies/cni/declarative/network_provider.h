#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::declarative {

// The file format of a NetworkProvider (apiVersion overlane.dev/v1alpha1): the networking.type that
// it describes, the fields of its NetworkConfig, and its rows. The first row whose conditions all
// hold gives the dataplane; without such a row the combination is not supported. The file cannot
// describe devices and routes, so it names the agent whose node states apply.

/// The `kind` of files that describe a network extension.
inline constexpr std::string_view kKind = "NetworkProvider";

/// A field of the extension's NetworkConfig.
struct ConfigField {
  enum class Type { String, Boolean, Integer, Block };

  std::string path;  ///< Path from the NetworkConfig's root: "ipam.cidr".
  Type type = Type::String;
  std::vector<std::string> values;           ///< Allowed values; empty: any.
  std::optional<std::string> default_value;  ///< The extension's default.
};

/// A condition of a row: a fact of the shoot, or a field of the NetworkConfig, has this value.
/// Facts are `overlay.enabled` and `overlay.createPodRoutes` (after the provider's admission),
/// `shoot.provider`, `shoot.ipFamily` and `shoot.kubeProxy`; a missing fact has the value "absent".
struct Condition {
  std::string field;
  std::string value;
};

/// The dataplane of the extension when all conditions hold.
struct ProviderRow {
  std::string name;
  std::vector<Condition> when;
  effective::Mode mode = effective::Mode::Routed;
  effective::Encapsulation encapsulation = effective::Encapsulation::None;
  bool cross_subnet = false;
  effective::Backend backend = effective::Backend::Native;
  std::optional<effective::RoutesBy> routes_by;  ///< Empty: as the provider routes natively.
  effective::Encryption encryption = effective::Encryption::None;
  std::uint32_t overhead_bytes = 0;
  std::string because;
  SourceLocation place;
};

/// A network extension that a file describes: rows of conditions, each with a dataplane. The first
/// row whose conditions all hold decides.
struct NetworkProvider {
  std::string name;
  SourceLocation place;
  std::string type;  ///< networking.type.
  std::vector<std::string>
      config_versions;  ///< apiVersions of its NetworkConfig; empty: not checked.
  std::vector<ConfigField> fields;
  std::string mtu_field;  ///< The NetworkConfig's field that sets the pods' MTU; may be empty.
  effective::NodeAgent agent{};
  /// Whether the extension routes services without kube-proxy; otherwise it needs kube-proxy.
  bool replaces_kube_proxy = false;
  bool masquerades = true;      ///< Whether packets from pods to addresses other than pods' are
                                ///< masqueraded.
  bool keeps_to_nodes = false;  ///< Whether packets to nodes are exempt from that.
  std::vector<ProviderRow> rows;
};

/// Decodes a file of kind NetworkProvider strictly.
Result<NetworkProvider, Findings> decode_network_provider(const document::Tree& tree);
/// Decodes the file's root; the findings go to the Problems of `root`.
NetworkProvider decode_network_provider(document::Fields& root);

}  // namespace overlane::declarative
