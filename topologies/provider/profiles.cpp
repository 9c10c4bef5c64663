#include "topologies/provider/profiles.h"

#include <algorithm>

namespace overlane::provider {
namespace {

constinit const Profile kOther{.routes = {.nodes_share_link = true}};

}  // namespace

std::span<const Profile* const> profiles() {
  static constexpr const Profile* kProfiles[] = {
      &kAws, &kGcp, &kAzure, &kOpenStack, &kAliCloud, &kMetal, &kLocal, &kStackit, &kHcloud};
  return kProfiles;
}

const Profile& profile_of(std::string_view name) {
  const auto row = std::ranges::find(profiles(), name, &Profile::name);
  return row == profiles().end() ? kOther : **row;
}

const Profile& profile_of(Provider provider) {
  const auto row = std::ranges::find(profiles(), provider, &Profile::provider);
  return row == profiles().end() ? kOther : **row;
}

std::string_view to_string(Provider provider) {
  const Profile& profile = profile_of(provider);
  return profile.is_known() ? profile.name : "other";
}

std::string_view to_string(RouteScope scope) {
  switch (scope) {
    case RouteScope::Vpc:
      return "vpc";
    case RouteScope::Table:
      return "table";
    case RouteScope::Router:
      return "router";
  }
  return "";
}

}  // namespace overlane::provider
