#include "topologies/overlap/sharing/uncertainty.h"

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overlane::overlap {
namespace {

using Projects = std::map<std::string, std::string>;  ///< By credentials.

std::string uncertainty_of(const Domain& domain, const Inventory& inventory,
                           const Projects& projects) {
  std::set<std::string_view> unknown;
  std::set<std::string_view> known;
  std::vector<std::string> without;
  for (const std::uint32_t i : domain.shoots) {
    const Shoot& shoot = inventory.shoots[i];
    if (shoot.network.credentials.empty())
      without.push_back(shoot.name());
    else if (const auto project = projects.find(shoot.network.credentials);
             project != projects.end())
      known.insert(project->second);
    else
      unknown.insert(shoot.network.credentials);
  }
  const std::string_view owner = domain.key.starts_with("azure/") ? "subscription" : "project";
  std::string text = fmt::format(
      "networks of this name are one if their {}s are equal, which manifests do not show", owner);
  if (!unknown.empty())
    text +=
        fmt::format(": declare the {} of these credentials in a RoutingDomains file (projects): {}",
                    owner, fmt::join(unknown, ", "));
  if (!unknown.empty() && !known.empty())
    text += fmt::format(" (the others belong to {})", fmt::join(known, ", "));
  if (!without.empty())
    text += fmt::format("; {}{} no credentials", without.front(),
                        without.size() == 1 ? " has" : " and others have");
  return text;
}

}  // namespace

std::map<std::string, std::string> uncertainties(const Inventory& inventory,
                                                 const RoutingScopes& routing_scopes) {
  const Projects projects = domains::projects_by_credentials(inventory.declared);
  std::map<std::string, std::string> uncertainties;
  for (const Domain& domain : routing_scopes.domains)
    if (!domain.is_one) uncertainties[domain.key] = uncertainty_of(domain, inventory, projects);
  return uncertainties;
}

}  // namespace overlane::overlap
