#include "topologies/overlap/analyze/validation.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/document/fields/spelling.h"

namespace overlane::overlap {
namespace {

/// `all` counts what is known: "3 shoots". Of many known names only the nearest are listed.
std::string unknown(std::string_view what, const std::string& name, std::string_view all,
                    const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 30;
  const std::size_t most_listed = known.size() > kFew ? 3 : known.size();
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view meant = document::closest(name, words);
  const std::string text = fmt::format("there is no {} {} among the {} given", what, name, all);
  if (!meant.empty()) return text + fmt::format("; did you mean {}?", meant);
  return text + fmt::format("; {}: {}", known.size() > kFew ? "the nearest" : "these are",
                            fmt::join(document::nearest(name, words, most_listed), ", "));
}

std::string invalid_proposals(const Request& request, const Comparison& comparison) {
  const Domain* domain = domain_for_proposals(request, comparison.routing_scopes);
  if (domain == nullptr)
    return request.domain.empty()
               ? "--propose needs --domain, the routing domain of the new shoots"
               : fmt::format("--propose: {} is not a network of shoots", request.domain);
  Wanted wanted = *request.wanted;
  if (!domain->shoots.empty())
    wanted.provider = comparison.inventory.shoots[domain->shoots.front()].provider;
  const std::string flaw = wanted.flaw();
  return flaw.empty() ? "" : "--propose: " + flaw;
}

/// "garden-dev/one is a shoot in the routing domain aws/vpc-1" if a shoot was named instead of its
/// domain.
std::string domains_of_shoot(const std::string& name, const Comparison& comparison) {
  const std::vector<Shoot>& shoots = comparison.inventory.shoots;
  std::vector<std::string_view> keys;
  for (const Domain& domain : comparison.routing_scopes.domains)
    for (const std::uint32_t shoot : domain.shoots)
      if (shoots[shoot].object.qualified() == name) keys.push_back(domain.key);
  return keys.empty() ? ""
                      : fmt::format("{} is a shoot in the routing domain {}", name,
                                    fmt::join(keys, " and "));
}

}  // namespace

const Domain* domain_for_proposals(const Request& request, const RoutingScopes& routing_scopes) {
  if (request.domain.empty())
    return routing_scopes.domains.size() == 1 ? &routing_scopes.domains.front() : nullptr;
  const auto named = std::ranges::find(routing_scopes.domains, request.domain, &Domain::key);
  return named == routing_scopes.domains.end() ? nullptr : &*named;
}

std::string missing_input(bool has_candidates, const Inventory& inventory) {
  if (inventory.shoots.empty()) return "no shoot among the inputs can be compared";
  if (has_candidates && std::ranges::none_of(inventory.shoots, &Shoot::candidate))
    return "no shoot among the candidates (--with) can be compared";
  return "";
}

std::string invalid_request(const Request& request, const Comparison& comparison) {
  std::vector<std::string> shoots;
  if (!request.assumed_modes.empty())
    for (const Shoot& shoot : comparison.inventory.shoots)
      shoots.push_back(shoot.object.qualified());
  for (const auto& [name, mode] : request.assumed_modes)
    if (std::ranges::find(shoots, name) == shoots.end())
      return unknown("shoot", name, report::counted_text(shoots.size(), "shoot"), shoots);
  std::vector<std::string> keys;
  for (const Domain& domain : comparison.routing_scopes.domains)
    keys.push_back(domain.key);
  const auto& connections = comparison.inventory.declared.connections;
  for (const domains::Connection& connection : connections)
    keys.push_back("connection/" + connection.name);
  if (!request.domain.empty() && std::ranges::find(keys, request.domain) == keys.end()) {
    const std::string is_shoot = domains_of_shoot(request.domain, comparison);
    if (!is_shoot.empty()) return "--domain takes a routing domain; " + is_shoot;
    return unknown(
        "routing domain", request.domain,
        fmt::format("{} and {}",
                    report::counted_text(comparison.routing_scopes.domains.size(), "network"),
                    report::counted_text(connections.size(), "connection")),
        keys);
  }
  return request.wanted ? invalid_proposals(request, comparison) : "";
}

}  // namespace overlane::overlap
