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

// The path from documents to a shoot that can run, in three steps that each happen once:
// read_subject() reads and decodes, derive_subject() decides the shoot's dataplane and its
// machines, and place_subject() lays the nodes out in their VPC. load_subject() does all three. A
// migration calls them one by one, because it places two dataplanes of one shoot. The caller
// compiles the states of the nodes (compile::compile()).

/// Command line options about the subject; they override the files.
struct SubjectOptions {
  derive::DeriveOptions derive;
  std::string shoot;  ///< "namespace/name".
  std::optional<std::uint32_t> nodes;
};

/// The pod network to run, as its documents describe it.
struct ChosenShoot {
  manifest::PodNetworkSpec spec;
  derive::DeriveOptions derive;  ///< Options, with the network types of the documents.
  Findings findings;             ///< From decoding the documents.
  std::vector<spec::RegimeStatement> regimes;  ///< Settings of the documents, not modelled.
};

/// Selects a shoot of the documents: the one that the command line names, else the one that
/// `named_by_file` names ("namespace/name"), else the only one. A wrong name on the command line is
/// a usage error.
Outcome<ChosenShoot> choose_shoot(document::Stream documents, const SubjectOptions& options,
                                  const std::string& named_by_file = "");

/// A shoot with the values of the command line and a Topology file.
struct SubjectSpec {
  ChosenShoot shoot;
  spec::VpcSpec vpc;      ///< Empty without a Topology file.
  spec::ShootSpec asked;  ///< `nodes` of the command line overrides that of the file.
};

/// Reads the scenario's Topology file, and its manifests unless `given` already has the shoot.
Outcome<SubjectSpec> read_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                                  std::optional<ChosenShoot> given);

/// Returns the shoot with other IP families. Ranges that no document gives stay as they are, and
/// the infrastructure of a dual-stack shoot stays dual-stack.
SubjectSpec with_families(SubjectSpec subject, const std::vector<std::string>& families);

/// A shoot with its dataplane and the machines of its nodes.
struct DerivedSubject {
  SubjectSpec given;
  effective::EffectiveDataplane as_written;
  cost::Wire wire = cost::Wire::Nic;
  host::Machine machine;
  Assumptions assumptions;

  /// The requested number of nodes, or else the sum of the minimums of the worker pools, at least
  /// two.
  std::uint32_t nodes() const;
};

/// Derives the dataplane. Fails with the errors of derive::derive(), with `unsupported-cni` for a
/// network type that is not modelled, and with `provider-mismatch` if the Topology file names
/// another provider.
Outcome<DerivedSubject> derive_subject(SubjectSpec subject);

/// The subject of a scenario: one shoot, as written, placed in its VPC.
struct Subject {
  manifest::PodNetworkSpec spec;
  derive::DeriveOptions derive;  ///< Options of the command line and the documents.
  effective::EffectiveDataplane as_written;
  graph::Topology topology;
  host::Machine machine;
  AssumedRss assumed_rss;
  std::optional<model::NodeMachine> machine_facts;  ///< For the report.
  cost::Wire wire = cost::Wire::Nic;
  std::string kernel;  ///< Kernel of the nodes; empty: the kernel of the cost profile.
  SourceLocation kernel_place;
  std::uint32_t services = 1;  ///< Number of Services in the cluster; at least 1.
  /// Whether the command line or a Topology gives the number of nodes, instead of the worker pools.
  bool nodes_are_given = false;
  fabric::Paths paths;
  fabric::Limits limits;
  spec::FabricSpec fabric;                     ///< Default of all variants, which may override it.
  std::vector<model::Assumption> assumptions;  ///< Values that no given document sets.
  Findings findings;                           ///< Findings about the documents; no errors.
  /// The reason why the shoot as written has no states, if that is so. A variant may still have
  /// states.
  std::optional<Finding> no_states;
};

/// Lays out the nodes, and `joining` more, in the VPC. Fails with the errors of
/// graph::Topology::build(), and on errors of the scenario about its subject.
Outcome<Subject> place_subject(DerivedSubject derived, const spec::Scenario& scenario,
                               std::uint32_t joining = 0);

/// Reads, derives and places the subject of a scenario.
Outcome<Subject> load_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                              std::optional<ChosenShoot> given);

}  // namespace overlane::runner
