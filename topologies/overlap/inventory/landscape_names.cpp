#include "topologies/overlap/inventory/landscape_names.h"

namespace overlane::overlap {
namespace {

void qualify(const std::string& landscape, std::string& name) {
  if (!name.empty()) name.insert(0, landscape + ':');
}

}  // namespace

void put_into_landscape(const std::string& landscape, Shoot& shoot) {
  if (landscape.empty()) return;
  shoot.landscape = landscape;
  qualify(landscape, shoot.network.credentials);
}

void put_into_landscape(const std::string& landscape, domains::Declarations& declared) {
  if (landscape.empty()) return;
  for (domains::Project& project : declared.projects)
    for (std::string& credentials : project.credentials)
      qualify(landscape, credentials);
  for (domains::Network& network : declared.networks)
    qualify(landscape, network.ref.shoot);
  for (domains::Connection& connection : declared.connections)
    for (domains::NetworkRef& ref : connection.networks)
      qualify(landscape, ref.shoot);
}

}  // namespace overlane::overlap
