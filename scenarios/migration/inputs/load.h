#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/migration/inputs/request.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/runner/load/subject.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::migration {

// The preparation of a switch for the simulation. derive_switch() reads the documents, derives both
// dataplanes, and compares the shoot with the other shoots of the landscape. place_switch() lays
// out a number of nodes and compiles their states before and after the switch. load() does both.

/// Conflicts of a switch with the other shoots of the landscape, and the shoot's number of nodes.
struct Neighbours {
  std::uint32_t given_nodes = 0;  ///< Nodes of the shoot in the documents.
  std::uint32_t shoots = 0;       ///< Number of other shoots in the documents.
  /// Number of routes to the nodes of the other shoots in the route table that the shoot shares
  /// with them.
  std::uint32_t routes = 0;
  /// Overlaps and exceeded quotas that the switch causes and that affect traffic at once.
  std::vector<std::string> blockers;
  Findings later;  ///< Conflicts that begin when nodes are created, and warnings.
};

/// Compares the shoot, in its target mode, with all other shoots in the documents, as `overlane
/// overlap` does. If there are no other shoots, only counts the Nodes of the shoot.
Neighbours neighbours(document::Stream documents, const derive::DeriveOptions& derive,
                      const effective::EffectiveDataplane& after);

struct Loaded {
  Transition transition;
  std::vector<std::uint32_t> zones;  ///< Zone of each node.
  Neighbours neighbours;
  std::string patch;                   ///< Merge patch of the shoot's networking, in JSON.
  std::string patch_back;              ///< Merge patch that switches back.
  std::vector<Strategy> strategies;    ///< The strategies to compare; at least one.
  bool strategies_are_chosen = false;  ///< Whether the request names them.
  Timing timing;
  Answers answers;
  std::optional<Disturbance> disturbance;
  std::uint32_t runs = 1;         ///< Runs of each strategy.
  Picos max_outage;               ///< Longest outage of a connection that the verdict "go" allows.
  AcceptedImpacts accepted = {};  ///< Impacts that do not lower the verdict.
  /// Reasons why pods do not reach each other after the switch that the simulation does not show.
  std::vector<std::string> blockers = {};
  /// Whether the command line or a Topology gives the number of nodes, instead of the worker pools.
  bool nodes_are_given = false;
  std::vector<model::Assumption> assumptions;  ///< About the shoot: values that no document sets.
  Findings findings;  ///< About the documents, routes beyond the quota and neighbours; no errors.

  /// Whether the operator rolls the switch back.
  bool goes_back() const { return disturbance && disturbance->kind == Disturbance::Kind::Rollback; }
  /// Whether nodes may lose their machines during the switch or the rollback.
  bool may_lose_nodes() const {
    return transition.may_lose_nodes() || (goes_back() && transition.reversed().may_lose_nodes());
  }
};

/// A switch whose documents have been read and whose two dataplanes have been derived. It can be
/// placed at any number of nodes.
struct DerivedSwitch {
  ResolvedRequest asked;
  AcceptedImpacts accepted;
  runner::DerivedSubject before;
  /// The shoot with other IP families; nothing if only its NetworkConfig changes.
  std::optional<runner::DerivedSubject> other_families;
  effective::EffectiveDataplane after;
  Neighbours neighbours;
  std::string patch;       ///< Merge patch of the shoot's networking, in JSON.
  std::string patch_back;  ///< Merge patch that switches back.

  /// The number of nodes that the input asks for.
  std::uint32_t nodes() const { return before.nodes(); }
};

/// Whether a rollback in the middle of a switch of modes to `after` is simulated.
bool simulates_rollback(const effective::EffectiveDataplane& after);

/// Reads the documents of the request, and derives the shoot as written and as patched. Fails with
/// the rule of the API if the API refuses the patch, with `no-switch` if the shoot is already in
/// the target mode, and with `unsupported-migration` if the switch is not simulated. These switches
/// are simulated: with calico, IPv4 pods between cloud routes and IPIP (with BIRD's routes), and to
/// VXLAN; with cilium, IPv4 pods between cloud routes, VXLAN and Geneve; and routed pods to
/// dual-stack and back.
runner::Outcome<DerivedSwitch> derive_switch(const LoadRequest& request);

/// Lays out `nodes` nodes and compiles their states before and after the switch. Fails with
/// `unsuitable-strategy` if the switch cannot follow a requested strategy.
runner::Outcome<Loaded> place_switch(const DerivedSwitch& derived, std::uint32_t nodes);

/// Calls derive_switch(), and place_switch() with the number of nodes that the input asks for.
runner::Outcome<Loaded> load(const LoadRequest& request);

}  // namespace overlane::migration
