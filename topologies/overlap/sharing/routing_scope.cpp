#include "topologies/overlap/sharing/routing_scope.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "topologies/overlap/sharing/disjoint_sets.h"
#include "topologies/overlap/sharing/route_tables.h"
#include "topologies/provider/profile.h"
#include "topologies/ranges/sort_unique.h"

namespace overlane::overlap {
namespace {

using domains::NetworkRef;

/// Equal to NetworkIdentity::key of the shoots in it. Unique for a shoot without manifest.
std::string key_of(const NetworkRef& ref) {
  if (!ref.shoot.empty()) return "shoot/" + ref.shoot;
  return fmt::format("{}/{}{}", ref.provider,
                     ref.resource_group.empty() ? "" : ref.resource_group + '/', ref.network);
}

/// Whether equal ids are one network, regardless of credentials.
bool id_is_unique(const NetworkRef& ref) {
  return provider::profile_of(ref.provider).fabric.network_id_is_unique;
}

class Locator {
 public:
  explicit Locator(const Inventory& inventory)
      : inventory_(inventory), projects_(domains::projects_by_credentials(inventory.declared)) {
    if (!inventory.declared.empty())
      for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
        by_name_.emplace(inventory.shoots[i].name(), i);
  }

  RoutingScopes locate() {
    for (const Shoot& shoot : inventory_.shoots)
      out_.shoots.push_back(scope_of(shoot));
    for (const domains::Network& network : inventory_.declared.networks)
      out_.networks.push_back(scope_of(network.ref));
    number_route_tables(inventory_, out_);
    for (std::size_t i = 0; i < out_.networks.size();
         ++i)  // Networks that are declared by a shoot.
      if (const auto shoot = by_name_.find(inventory_.declared.networks[i].ref.shoot);
          shoot != by_name_.end())
        out_.networks[i] = out_.shoots[shoot->second];
    gather_domains();
    for (const domains::Connection& connection : inventory_.declared.connections)
      out_.connections.push_back(gather(connection));
    return std::move(out_);
  }

 private:
  /// Whether the declaration names the project of a network without unique id.
  static bool is_in_project(const NetworkRef& ref) {
    return !ref.project.empty() && !id_is_unique(ref);
  }

  std::uint32_t network_of(const std::string& key, bool is_unique, const std::string& project) {
    return network_names_[is_unique ? key : key + '|' + project];
  }

  RoutingScope scope_of(const Shoot& shoot) {
    const NetworkIdentity& network = shoot.network;
    if (!network.shared)  // It has no other shoots.
      return {.domain = domain_numbers_.add(), .network = networks_.add()};
    const auto project = projects_.find(network.credentials);
    const bool in_project = project != projects_.end();
    RoutingScope routing_scope{.domain = domain_names_[network.key],
                               .project_known = network.id_is_unique || in_project};
    if (network.credentials.empty() && !network.id_is_unique)
      routing_scope.network = networks_.add();
    else
      routing_scope.network =
          network_of(network.key, network.id_is_unique,
                     in_project ? "project " + project->second : network.credentials);
    return routing_scope;
  }

  RoutingScope scope_of(const NetworkRef& ref) {
    if (const RoutingScope* shoot = shoot_named(ref)) return *shoot;
    const std::string key = key_of(ref);
    RoutingScope routing_scope{.domain = domain_names_[key],
                               .project_known = id_is_unique(ref) || !ref.project.empty()};
    routing_scope.network = network_of(key, !is_in_project(ref), "project " + ref.project);
    return routing_scope;
  }

  const RoutingScope* shoot_named(const NetworkRef& ref) {
    if (ref.shoot.empty()) return nullptr;
    const auto found = by_name_.find(ref.shoot);
    if (found != by_name_.end()) return &out_.shoots[found->second];
    const auto namesake = std::ranges::find(
        inventory_.shoots, ref.shoot, [](const Shoot& shoot) { return shoot.object.qualified(); });
    out_.findings.push_back(
        {.rule = "declared-shoot-missing",
         .severity = Severity::Warning,
         .message = fmt::format("shoot {} is declared, but not among the manifests", ref.shoot),
         .place = ref.place,
         .hint = namesake == inventory_.shoots.end()
                     ? "add its manifest, or correct the name"
                     : fmt::format("qualify it by its landscape: {}", namesake->name())});
    return nullptr;
  }

  void gather_domains() {
    std::vector<Domain> domains;  // By their numbers before sorting.
    const auto at = [&](std::uint32_t number, const std::string& key) -> Domain& {
      if (domains.size() <= number) domains.resize(number + 1);
      if (domains[number].key.empty()) domains[number].key = key;
      return domains[number];
    };
    domains.reserve(out_.shoots.size() + out_.networks.size());
    for (std::uint32_t i = 0; i < out_.shoots.size(); ++i) {
      Domain& domain = at(out_.shoots[i].domain, inventory_.shoots[i].network.key);
      if (!domain.shoots.empty() &&
          out_.shoots[domain.shoots.front()].network != out_.shoots[i].network)
        domain.is_one = false;
      domain.shoots.push_back(i);
    }
    for (std::uint32_t i = 0; i < out_.networks.size(); ++i)
      at(out_.networks[i].domain, key_of(inventory_.declared.networks[i].ref))
          .declared.push_back(i);
    std::ranges::sort(domains, {}, &Domain::key);
    out_.domains = std::move(domains);
    number_domains();
  }

  void number_domains() {
    for (std::uint32_t number = 0; number < out_.domains.size(); ++number) {
      for (const std::uint32_t i : out_.domains[number].shoots)
        out_.shoots[i].domain = number;
      for (const std::uint32_t i : out_.domains[number].declared)
        out_.networks[i].domain = number;
    }
  }

  bool may_be_several(const Domain& domain) const {
    const auto is_other = [&](std::uint32_t i) {
      return out_.networks[i].network != out_.shoots[domain.shoots.front()].network;
    };
    return !domain.is_one ||
           (!domain.shoots.empty() && std::ranges::any_of(domain.declared, is_other));
  }

  const Domain* domain_named(const std::string& key) const {
    const auto found = std::ranges::lower_bound(out_.domains, key, {}, &Domain::key);
    return found == out_.domains.end() || found->key != key ? nullptr : &*found;
  }

  Joined gather(const domains::Connection& connection) {
    Joined joined;
    for (const NetworkRef& ref : connection.networks) {
      const RoutingScope* shoot = shoot_named(ref);
      const Domain* domain =
          shoot != nullptr ? &out_.domains[shoot->domain] : domain_named(key_of(ref));
      if (domain == nullptr) continue;  // No shoot or declaration is in it.
      const auto is_meant = [&](const RoutingScope& routing_scope) {
        if (shoot != nullptr) return routing_scope.network == shoot->network;
        return !is_in_project(ref) ||
               routing_scope.network == network_of(domain->key, false, "project " + ref.project);
      };
      if (shoot == nullptr && !is_in_project(ref) && may_be_several(*domain))
        joined.unclear.push_back(static_cast<std::uint32_t>(domain - out_.domains.data()));
      for (const std::uint32_t i : domain->shoots)
        if (is_meant(out_.shoots[i])) joined.shoots.push_back(i);
      for (const std::uint32_t i : domain->declared)
        if (is_meant(out_.networks[i])) joined.declared.push_back(i);
    }
    ranges::sort_unique(joined.shoots);
    ranges::sort_unique(joined.declared);
    return joined;
  }

  const Inventory& inventory_;
  std::map<std::string, std::string> projects_;  ///< By credentials.
  std::unordered_map<std::string, std::uint32_t> by_name_;
  DisjointSets domain_numbers_;
  KeyedSets<std::string> domain_names_{domain_numbers_};
  DisjointSets networks_;
  KeyedSets<std::string> network_names_{networks_};
  RoutingScopes out_;
};

}  // namespace

RoutingScopes locate(const Inventory& inventory) {
  return Locator(inventory).locate();
}

}  // namespace overlane::overlap
