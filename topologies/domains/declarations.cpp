#include "topologies/domains/declarations.h"

#include <tuple>

namespace overlane::domains {

bool same_network(const NetworkRef& a, const NetworkRef& b) {
  const auto key = [](const NetworkRef& ref) {
    return std::tie(ref.shoot, ref.provider, ref.network, ref.resource_group, ref.project);
  };
  return key(a) == key(b);
}

std::string to_string(const NetworkRef& ref) {
  if (!ref.shoot.empty()) return "the network of " + ref.shoot;
  std::string text = ref.provider + ' ';
  if (!ref.resource_group.empty()) text += ref.resource_group + '/';
  text += ref.network;
  if (!ref.project.empty()) text += " in " + ref.project;
  return text;
}

std::string_view to_string(ConnectionKind kind) {
  switch (kind) {
    case ConnectionKind::Peering:
      return "peering";
    case ConnectionKind::TransitGateway:
      return "transit-gateway";
    case ConnectionKind::Interconnect:
      return "interconnect";
    case ConnectionKind::Vpn:
      return "vpn";
  }
  return "";
}

std::map<std::string, std::string> projects_by_credentials(const Declarations& declarations) {
  std::map<std::string, std::string> projects;
  for (const Project& project : declarations.projects)
    for (const std::string& credentials : project.credentials)
      projects.emplace(credentials, project.name);
  return projects;
}

bool Declarations::empty() const {
  return projects.empty() && networks.empty() && connections.empty() && reserved.empty();
}

}  // namespace overlane::domains
