#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/load/failure.h"
#include "scenarios/spec/scenario.h"
#include "sim/cost/cost_profile.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

struct ChosenShoot {
  manifest::PodNetworkSpec spec;
  Findings findings;  ///< From decoding the documents.
};

/// The pod network to run: `wanted` ("namespace/name"), or the only one.
Outcome<ChosenShoot> choose_shoot(manifest::ManifestSet manifests, const std::string& wanted);

/// Command line options about the subject; they override the files.
struct SubjectOptions {
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name".
  std::optional<std::uint32_t> nodes;
  std::vector<std::string> ip_families;  ///< Instead of the shoot's own; empty: these.
  /// How many there are besides these, or those that the input asks for; empty: none.
  std::function<std::uint32_t(std::uint32_t nodes)> more_nodes = {};
};

/// The subject of a scenario: one shoot, as written, placed in its VPC.
struct Subject {
  manifest::PodNetworkSpec spec;
  derive::DeriveOptions derive;  ///< Options of the command line and the documents.
  effective::EffectiveDataplane as_written;
  graph::Topology topology;
  host::Machine machine;
  std::optional<model::NodeMachine> machine_facts;  ///< For the report.
  cost::Wire wire = cost::Wire::Nic;
  std::string kernel;  ///< Kernel of the nodes; empty: the cost profile's own.
  SourceLocation kernel_place;
  std::uint32_t services = 1;  ///< Services in the cluster; at least 1.
  /// Whether the command line or a Topology gives the number of nodes, instead of the worker pools.
  bool nodes_are_given = false;
  fabric::Paths paths;
  fabric::Limits limits;
  spec::FabricSpec fabric;                     ///< Variants override it.
  std::vector<model::Assumption> assumptions;  ///< Values that no given document sets.
  Findings findings;                           ///< About the documents; no errors.
  /// Why the shoot as written has no states, if it has none: a variant may still have some.
  std::optional<Finding> no_states;
};

/// Reads the scenario's Topology file or manifests (or uses those already read) and places the
/// shoot in its VPC.
Outcome<Subject> load_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                              std::optional<document::Stream> given);

}  // namespace overlane::runner
