#include "topologies/overlap/doubts.h"

#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overlane::overlap {
namespace {

using Projects = std::map<std::string_view, std::string_view>;  ///< By credentials.

std::string doubt_about(const Domain& domain, const Inventory& inventory,
                        const Projects& projects) {
  std::set<std::string_view> unknown;
  std::set<std::string_view> known;
  for (const std::uint32_t i : domain.shoots) {
    const std::string& credentials = inventory.shoots[i].network.credentials;
    const auto project = projects.find(credentials);
    if (project == projects.end())
      unknown.insert(credentials);
    else
      known.insert(project->second);
  }
  const bool is_azure = domain.key.starts_with("azure/");
  return fmt::format(
      "networks of this name are one if their {0}s are the same. No manifest shows that: say in a "
      "RoutingDomains file (projects) into which {0} these credentials lead: {1}{2}",
      is_azure ? "subscription" : "project", fmt::join(unknown, ", "),
      known.empty() ? "" : fmt::format(" (the others lead into {})", fmt::join(known, ", ")));
}

}  // namespace

std::map<std::string, std::string> doubts(const Inventory& inventory, const Positions& positions) {
  Projects projects;
  for (const domains::Project& project : inventory.declared.projects)
    for (const std::string& credentials : project.credentials)
      projects.emplace(credentials, project.name);
  std::map<std::string, std::string> doubts;
  for (const Domain& domain : positions.domains)
    if (!domain.is_one) doubts[domain.key] = doubt_about(domain, inventory, projects);
  return doubts;
}

}  // namespace overlane::overlap
