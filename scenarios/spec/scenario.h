#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "scenarios/spec/events.h"
#include "scenarios/spec/fabric.h"
#include "scenarios/spec/migration.h"
#include "sim/fabric/path.h"
#include "sim/random/distribution.h"
#include "sim/transport/segment.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/landscape.h"

namespace overlane::spec {

// A `kind: Scenario` file: a subject (a topology or manifests), variants of its pod network, and
// the traffic that every variant carries, or a migration between two pod networks. Decoding checks
// the file itself; it reads none of the files that the scenario names.

/// A variant of the shoot: a merge patch (RFC 7386) for its NetworkConfig, and overrides.
struct VariantSpec {
  std::string name;
  document::Tree network_config;  ///< The patch; empty if the shoot runs as written.
  std::optional<effective::CalicoVersion> calico;  ///< Calico version, for this variant only.
  /// kube-proxy's mode in Gardener's spelling, or none; for this variant only.
  std::optional<std::string> kube_proxy;
  /// Overrides the NetworkConfig: whether WireGuard encrypts between nodes.
  std::optional<bool> wireguard;
  /// IP family of pod traffic; default: the shoot's first family.
  std::optional<Family> family;
  fabric::Loss loss;
  FabricSpec fabric;  ///< Overrides the scenario's and the topology's.
  /// net.ipv4.tcp_mtu_probing of all TCP; overrides the traffic's.
  std::optional<std::uint8_t> mtu_probing;
  SourceLocation place;

  /// Whether the variant's pod network differs from the pod network of the shoot as written.
  bool changes_dataplane() const {
    return network_config.root() || calico || kube_proxy || wireguard;
  }
};

/// The pairs of pods that communicate, among the first Traffic::pods_per_node pods of each node.
/// "The same pod" of another node is the pod with the same index.
enum class Pattern {
  Pair,         ///< The first pod of a node to the first pod of another.
  Ring,         ///< Every pod to the same pod of the next node.
  AllToAll,     ///< Every pod to every pod of every other node.
  Incast,       ///< Every pod of every other node to the first pod of the first node.
  Permutation,  ///< A random permutation of the nodes without fixed points per pod index: every pod
                ///< sends to one pod of another node and receives from one pod.
  HotSpot,      ///< The share `hot_ppm` of the flows from other nodes goes to the first node, every
            ///< other flow to a random node except the first and its own; always to the same pod
            ///< there.
};
/// The pairs of nodes from which Pattern::Pair may choose.
enum class Zones { Any, Same, Different };

struct Traffic {
  std::string name;
  model::TrafficKind kind = model::TrafficKind::Tcp;
  Pattern pattern = Pattern::Pair;
  Zones zones = Zones::Any;
  std::uint32_t pods_per_node = 1;
  std::int64_t hot_ppm = 500'000;  ///< HotSpot.
  std::uint32_t flows = 1;         ///< Per pair of pods; with HotSpot per pod.
  bool to_service = false;         ///< Flows address a Service in front of the receiving pods.
  bool from_node = false;          ///< Senders are processes in the nodes' own network.
  bool to_node = false;            ///< Receivers are in the nodes' own network.
  SourceLocation place;

  // udp
  BitsPerSecond rate{};  ///< Application payload of each flow, while it sends.
  std::uint32_t payload_bytes = 0;
  bool dont_fragment = false;
  bool poisson = false;            ///< Random intervals (Poisson process); false: even intervals.
  std::optional<Distribution> on;  ///< Picoseconds; `on` and `off` are both set or both empty.
  std::optional<Distribution> off;

  // Members for tcp and request-response.
  std::optional<std::int64_t> window_bytes;
  bool connection_per_request = false;  ///< Per request or transfer; else one for all.
  /// net.ipv4.tcp_mtu_probing; default: the shoot's.
  std::optional<std::uint8_t> mtu_probing;
  transport::CongestionControl congestion_control = transport::CongestionControl::Cubic;

  // tcp
  std::optional<Distribution> transfer;  ///< Bytes; empty: a flow never ends.
  std::optional<Distribution> gap;       ///< Picoseconds between two transfers.

  // request-response
  bool over_udp = false;
  std::uint32_t request_bytes = 0;
  std::uint32_t response_bytes = 0;
  Picos think_time{};
  std::optional<Picos> timeout;  ///< Timeout of a request.
};

/// A `kind: Scenario` file.
struct Scenario {
  std::string name;
  std::string file;  ///< File name; paths in it are relative to its folder.
  SourceLocation place;

  // The subject: either a Topology file or manifests.
  std::optional<std::string> topology;
  std::vector<std::string> manifests;
  std::string shoot;  ///< "namespace/name"; empty if there is only one.

  /// A CostProfile file, or the name of one of the library; empty: CPU time is free.
  std::string cost_profile;
  std::vector<VariantSpec> variants;
  std::optional<Family> family;  ///< Default of variants; empty: the shoot's first.
  fabric::Loss loss;             ///< Default of variants.
  FabricSpec fabric;             ///< Default of variants.
  std::string baseline;          ///< Name of the reference variant.
  std::vector<Traffic> traffic;
  std::vector<Event> events;  ///< Changes of the state during the run.
  /// The switch that the scenario is about. If set, the scenario has no traffic.
  std::optional<Migration> migration;
  bool concurrent = true;  ///< All groups in one run; otherwise one run per group.
  Picos duration = milliseconds(100);
  Picos warm_up{};
  bool warm_up_is_found = false;         ///< A pilot run finds it; at least `warm_up`.
  Picos start_spread = milliseconds(1);  ///< At most a tenth of `duration` by default.
  std::uint32_t repetitions = 1;         ///< Each with its own seed; at most kMaxRepetitions.
  std::optional<std::uint64_t> seed;
  bool fast = false;  ///< run::RunOptions::fast
};

inline constexpr std::uint32_t kMaxRepetitions = 1000;

/// Decodes a Scenario; reports all errors, each with its location.
Result<Scenario, Findings> decode_scenario(const document::Tree& tree);
/// Decodes the fields of a Scenario; adds errors to the fields' Problems.
Scenario decode_scenario(document::Fields& root);

/// Decodes `spec.traffic`. Duplicate names are errors; if `is_required`, so is a list without
/// groups.
std::vector<Traffic> decode_traffic(document::Fields& spec, bool is_required);

/// The folder part of a path, with its slash; empty for a bare file name.
std::string folder_of(const std::string& file);

/// `path` relative to the file that contains it: absolute paths and "-" are unchanged.
std::string relative_to(const std::string& file, const std::string& path);

}  // namespace overlane::spec
