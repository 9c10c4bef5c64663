#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "topologies/domains/diagnostics.h"

namespace overlane::domains {

/// All declared networks, each once, and reserved ranges.
class KnownNetworks {
 public:
  explicit KnownNetworks(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  void add(const Network& network, const At& at);
  void reserve(const DeclaredRange& range, const At& at);

  std::vector<Network> take_networks();
  std::vector<DeclaredRange> take_reserved() { return std::move(reserved_); }

 private:
  /// A network, and the places of its first declarations.
  struct Known {
    Network network;
    SourceLocation project, route_quota, other_routes;
    std::map<std::string, std::pair<std::string, SourceLocation>> tables;  ///< Of its subnets.
  };
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  /// The known network; nullptr: new. `refused`: it may be either, which is an error.
  Known* find(const Network& network, const At& at, bool& refused);
  void join(Known& known, const Network& network, const At& at);
  void join_range(Network& known, const DeclaredRange& range, const At& at);
  void join_table(Known& known, const RouteTable& table, const At& at);

  Diagnostics* diagnostics_;
  std::vector<Known> known_;
  std::multimap<Key, std::size_t> by_name_;
  std::vector<DeclaredRange> reserved_;
  std::map<IpPrefix, SourceLocation> reserved_at_;
  std::map<IpPrefix, std::pair<std::string, SourceLocation>>
      used_by_;  ///< The first network with it.
};

}  // namespace overlane::domains
