#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/declarations.h"
#include "topologies/overlap/inventory/shoot.h"
#include "topologies/rules/rule.h"

// An inventory is the complete input of one comparison: the shoots of one or more Gardener
// landscapes, the declared networks (RoutingDomains files) and the findings about the documents.
// LandscapeReader makes it from documents and keeps these, because the shoots of an example packet
// are derived in full later. In one landscape the name of an object is unique; two landscapes may
// have shoots of the same name. Candidates ("what if") replace documents of the same name. Shoots
// are sorted by name, so that the result does not depend on the order of files. LandscapeReader
// starts threads itself; call its functions from one thread.

// Kubernetes Nodes among the input say which pod CIDRs of a shoot are in use
// (`node.spec.podCIDRs`). They determine after how many node creations two shoots get the same
// addresses. A Node does not name its shoot, so it is matched by the technical id in its name or
// providerID, or by its addresses. Nodes of no shoot are reported once per file.
namespace overlane::overlap {

/// A Kubernetes Node of some shoot.
struct ClusterNode {
  ObjectName object;
  SourceLocation place;
  std::string provider_id;           ///< `spec.providerID`.
  std::string created;               ///< `metadata.creationTimestamp` (RFC 3339).
  std::vector<IpPrefix> pod_cidrs;   ///< `spec.podCIDRs`, or the older `spec.podCIDR`.
  std::vector<IpAddress> addresses;  ///< `status.addresses[]` of type InternalIP.
};

/// Whether the document is a Kubernetes Node.
bool is_node(const document::Tree& tree);
/// Removes the Nodes from the stream. Adds findings about invalid Nodes to the stream.
std::vector<ClusterNode> take_nodes(document::Stream& stream);

/// Sets the pod CIDRs of each shoot, ordered by creation of its Nodes. A Node does not name its
/// shoot: it belongs to the shoot whose technical id is a prefix of its name or providerID,
/// otherwise to the only shoot whose ranges contain its addresses. The other Nodes are one note
/// `node-of-no-shoot` per file.
void attach_nodes(const std::vector<ClusterNode>& nodes, std::vector<Shoot>& shoots,
                  Findings& findings);

/// Minimum number of nodes: the number of the shoot's Nodes, or the workers' minimum.
std::int64_t nodes_of(const Shoot& shoot);

/// The input of a comparison.
struct Inventory {
  std::vector<Shoot> shoots;  ///< Ordered by name: the order of files does not matter.
  domains::Declarations declared;
  std::vector<IpPrefix> landscape_reserved;  ///< Set by `--set landscape.reserved-ranges`.
  std::map<effective::Provider, std::int64_t> route_quotas;  ///< Set by `--set landscape.route-
                                                             ///< quota.*`.
  Findings findings;                                         ///< About the documents.
};

/// The rule `network-not-modelled`.
const rules::Rule& unmodelled_rule();

/// Documents of one landscape, in which an object's name is unique.
struct Landscape {
  std::string name;  ///< Empty: the only one.
  document::Stream documents;
  std::optional<document::Stream> candidates;  ///< "What if": these replace documents of the same
                                               ///< name.
};

struct ReadOptions {
  derive::DeriveOptions derive;
  std::vector<domains::DeclarationFile> declared;  ///< In addition to those in `documents`.
  /// "What if": modes of shoots ("namespace/name") in place of those in their manifests.
  std::map<std::string, effective::Mode> assumed_modes;
  unsigned threads = 0;              ///< 0: one per core. Results do not depend on it.
  document::Progress progress = {};  ///< Counts the shoots among the documents of a landscape.
};

/// Reads the documents of one or more landscapes.
class LandscapeReader {
 public:
  LandscapeReader(std::vector<Landscape> landscapes, ReadOptions options);

  /// Reads all shoots, their Nodes and the RoutingDomains documents. Documents that cannot be used
  /// and duplicate shoots have a finding. The first of duplicate shoots is kept, but candidates
  /// replace other documents. An assumed mode that admission refuses is an error `not-admitted`.
  Inventory read();

  /// Frees all documents except those of these shoots, in the background. Afterwards derive()
  /// accepts only these shoots.
  void keep_only(const std::vector<const Shoot*>& shoots);

  /// Derives the effective dataplanes of these shoots, by name, except of shoots that admission
  /// refuses.
  std::map<std::string, effective::EffectiveDataplane> derive(
      const std::vector<const Shoot*>& shoots) const;

 private:
  std::vector<Shoot> read_shoots(const document::Stream& stream, Findings& findings) const;
  manifest::PodNetworkSpec as_assumed(const manifest::PodNetworkSpec& spec) const;

  std::vector<Landscape> landscapes_;
  ReadOptions options_;
  std::future<void> freeing_;
};

}  // namespace overlane::overlap
