#include "tools/overlane/overlap/validation.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/overlane/overlap/summary.h"
#include "topologies/document/fields/spelling.h"

namespace overlane::command {
namespace {

/// Of thousands that are known, of which `all` says how many they are, the nearest are named.
std::string unknown(std::string_view what, const std::string& name, std::string_view all,
                    const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 30;
  const std::size_t most_named = known.size() > kFew ? 3 : known.size();
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view meant = document::closest(name, words);
  const std::string text = fmt::format("there is no {} {} among the {} given", what, name, all);
  if (!meant.empty()) return text + fmt::format("; did you mean {}?", meant);
  return text + fmt::format("; {}: {}", known.size() > kFew ? "the nearest" : "these are",
                            fmt::join(document::nearest(name, words, most_named), ", "));
}

std::string objection_to_proposals(const OverlapOptions& options, const Compared& compared) {
  const overlap::Domain* domain = domain_for_proposals(options, compared.routing_scopes);
  if (domain == nullptr)
    return options.domain.empty()
               ? "--propose needs --domain, the routing domain that the new shoots are to be in"
               : fmt::format("--propose: {} is no network that a shoot can be in", options.domain);
  overlap::Wanted wanted = *options.wanted;
  if (!domain->shoots.empty())
    wanted.provider = compared.inventory.shoots[domain->shoots.front()].provider;
  const std::string flaw = wanted.flaw();
  return flaw.empty() ? "" : "--propose: " + flaw;
}

/// "garden-dev/one is a shoot in the routing domain aws/vpc-1" if a shoot was named instead of its
/// domain.
std::string domains_of_shoot(const std::string& name, const Compared& compared) {
  const std::vector<overlap::Shoot>& shoots = compared.inventory.shoots;
  std::vector<std::string_view> keys;
  for (const overlap::Domain& domain : compared.routing_scopes.domains)
    for (const std::uint32_t shoot : domain.shoots)
      if (shoots[shoot].object.qualified() == name) keys.push_back(domain.key);
  return keys.empty() ? ""
                      : fmt::format("{} is a shoot in the routing domain {}", name,
                                    fmt::join(keys, " and "));
}

}  // namespace

const overlap::Domain* domain_for_proposals(const OverlapOptions& options,
                                            const overlap::RoutingScopes& routing_scopes) {
  if (options.domain.empty())
    return routing_scopes.domains.size() == 1 ? &routing_scopes.domains.front() : nullptr;
  const auto named =
      std::ranges::find(routing_scopes.domains, options.domain, &overlap::Domain::key);
  return named == routing_scopes.domains.end() ? nullptr : &*named;
}

std::string_view lack(const OverlapOptions& options, const overlap::Inventory& inventory) {
  if (inventory.shoots.empty()) return "no shoot among the inputs can be compared";
  if (!options.with.empty() && std::ranges::none_of(inventory.shoots, &overlap::Shoot::candidate))
    return "no shoot among the candidates (--with) can be compared";
  return "";
}

std::string objection(const OverlapOptions& options, const Compared& compared) {
  std::vector<std::string> shoots;
  if (!options.assumed_modes.empty())
    for (const overlap::Shoot& shoot : compared.inventory.shoots)
      shoots.push_back(shoot.object.qualified());
  for (const auto& [name, mode] : options.assumed_modes)
    if (std::ranges::find(shoots, name) == shoots.end())
      return unknown("shoot", name, counted(shoots.size(), "shoot"), shoots);
  std::vector<std::string> keys;
  for (const overlap::Domain& domain : compared.routing_scopes.domains)
    keys.push_back(domain.key);
  const auto& connections = compared.inventory.declared.connections;
  for (const domains::Connection& connection : connections)
    keys.push_back("connection/" + connection.name);
  if (!options.domain.empty() && std::ranges::find(keys, options.domain) == keys.end()) {
    const std::string is_shoot = domains_of_shoot(options.domain, compared);
    if (!is_shoot.empty()) return "--domain takes a routing domain; " + is_shoot;
    return unknown(
        "routing domain", options.domain,
        fmt::format("{} and {}", counted(compared.routing_scopes.domains.size(), "network"),
                    counted(connections.size(), "connection")),
        keys);
  }
  return options.wanted ? objection_to_proposals(options, compared) : "";
}

}  // namespace overlane::command
