#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/decode.h"
#include "topologies/overlap/inventory/inventory.h"

namespace overlane::overlap {

/// Documents of one landscape: objects of one name are one object there.
struct Landscape {
  std::string name;  ///< Empty: the only one.
  document::Stream documents;
  document::Stream candidates;  ///< Laid over the others: "what if".
};

/// What is read how.
struct ReadOptions {
  derive::DeriveOptions derive;
  std::vector<domains::DeclarationFile> declared;  ///< Beside those among the documents.
  /// "What if": shoots by their names ("namespace/name") that get an overlay, or lose it.
  std::map<std::string, effective::Mode> assumed_modes;
  unsigned threads = 0;  ///< 0: one per core. Nothing depends on it.
};

/// The documents of one or more landscapes, and what they say.
class LandscapeReader {
 public:
  LandscapeReader(std::vector<Landscape> landscapes, ReadOptions options);

  /// Reads every shoot, its Nodes, and what RoutingDomains documents declare. A document that
  /// cannot be used has a finding, and so has a shoot that is given twice; the first one counts
  /// then, and a candidate before all. A mode that admission refuses is an error `not-admitted`.
  Inventory read();

  /// Gives back the memory of all documents but those that describe these shoots, the only ones
  /// that derive() can be asked for then. It goes on beside what follows.
  void keep_only(const std::vector<const Shoot*>& shoots);

  /// What the pods of these shoots really get, by the shoots' names; not of those that admission
  /// refuses.
  std::map<std::string, effective::EffectiveDataplane> derive(
      const std::vector<const Shoot*>& shoots) const;

 private:
  std::vector<Shoot> read_shoots(const document::Stream& stream, Findings& findings) const;
  manifest::PodNetworkSpec as_assumed(const manifest::PodNetworkSpec& spec) const;

  std::vector<Landscape> landscapes_;
  ReadOptions options_;
  std::future<void> giving_back_;
};

}  // namespace overlane::overlap
