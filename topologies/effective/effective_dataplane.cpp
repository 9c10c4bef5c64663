#include "topologies/effective/effective_dataplane.h"

#include <fmt/format.h>

namespace overlane::effective {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Create:
      return "create";
    case Stage::Live:
      return "live";
  }
  return "";
}

std::string_view to_string(RoutingDomain::Sharing sharing) {
  switch (sharing) {
    case RoutingDomain::Sharing::None:
      return "none";
    case RoutingDomain::Sharing::Sure:
      return "sure";
    case RoutingDomain::Sharing::Possible:
      return "possible";
    case RoutingDomain::Sharing::Declared:
      return "declared";
  }
  return "";
}

}  // namespace overlane::effective
