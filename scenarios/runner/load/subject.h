#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/machine.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/topology_file.h"
#include "sim/cost/cost_profile.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

// From documents to a shoot that can be run, in three steps that each happen once: read_subject()
// reads and decodes, derive_subject() decides the shoot's dataplane and its machines, and
// place_subject() lays the nodes out in their VPC. load_subject() does all three; a migration
// takes them one by one, since it places two dataplanes of one shoot. States are compiled by
// whoever runs them (compile::compile()).

/// Command line options about the subject; they override the files.
struct SubjectOptions {
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name".
  std::optional<std::uint32_t> nodes;
};

/// The pod network to run, as its documents describe it.
struct ChosenShoot {
  manifest::PodNetworkSpec spec;
  derive::DeriveOptions derive;  ///< With the network types of the documents.
  Findings findings;             ///< From decoding the documents.
};

/// The shoot of the documents that the command line names, or a file ("namespace/name"), or the
/// only one. A wrong name is a usage error if it is from the command line.
Outcome<ChosenShoot> choose_shoot(document::Stream documents, const SubjectOptions& options,
                                  const std::string& named_by_file = "");

/// A shoot with what the command line and a Topology file say about it.
struct SubjectSpec {
  ChosenShoot shoot;
  spec::VpcSpec vpc;      ///< Empty without a Topology file.
  spec::ShootSpec asked;  ///< `nodes` of the command line wins over the file's.
};

/// Reads the scenario's Topology file and its manifests, unless `given` has the shoot already.
Outcome<SubjectSpec> read_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                                  std::optional<ChosenShoot> given);

/// Gives the shoot other IP families. Ranges that no document gives stay those that it has now,
/// and the infrastructure of a dual-stack shoot stays dual-stack.
SubjectSpec with_families(SubjectSpec subject, const std::vector<std::string>& families);

/// A shoot with its dataplane and the machines of its nodes.
struct DerivedSubject {
  SubjectSpec given;
  effective::EffectiveDataplane as_written;
  cost::Wire wire = cost::Wire::Nic;
  host::Machine machine;
  Assumptions assumptions;

  /// The number of nodes: as asked, or else the sum of the worker pools' minimum, at least two.
  std::uint32_t nodes() const;
};

/// Derives the dataplane. Fails as derive::derive() does, with `unsupported-cni` for a network type
/// that is not modelled, and with `provider-mismatch` if the Topology file names another provider.
Outcome<DerivedSubject> derive_subject(SubjectSpec subject);

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

/// Lays out the nodes and `joining` more in the VPC. Fails as graph::Topology::build() does, and
/// with the mistakes of a scenario about its subject.
Outcome<Subject> place_subject(DerivedSubject derived, const spec::Scenario& scenario,
                               std::uint32_t joining = 0);

/// Reads, derives and places the subject of a scenario.
Outcome<Subject> load_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                              std::optional<ChosenShoot> given);

}  // namespace overlane::runner
