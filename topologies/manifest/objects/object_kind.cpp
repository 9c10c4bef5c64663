#include "topologies/manifest/objects/object_kind.h"

#include <algorithm>
#include <array>

#include "topologies/document/fields/spelling.h"

namespace overlane::manifest {
namespace {

constexpr std::string_view kCore = "core.gardener.cloud/v1beta1";
constexpr std::string_view kExtensions = "extensions.gardener.cloud/v1alpha1";

constexpr ObjectKind kKinds[] = {
    {"Shoot", kCore, Role::Shoot, ShootForm::Shoot},
    {"Shoot", "garden.sapcloud.io/v1beta1", Role::Shoot, ShootForm::Shoot2020},
    {"ManagedSeedSet", "seedmanagement.gardener.cloud/v1alpha1", Role::Shoot,
     ShootForm::ManagedSeedSet},
    {"Runtime", "infrastructuremanager.kyma-project.io/v1", Role::Shoot, ShootForm::Runtime},
    {"Network", kExtensions, Role::Network},
    {"Cluster", kExtensions, Role::Cluster},
    {"Infrastructure", kExtensions, Role::Infrastructure},
    {"ControlPlane", kExtensions, Role::ControlPlane},
    {"Worker", kExtensions, Role::Worker},
    {"Seed", kCore, Role::Seed},
    {kManagedSeed, "seedmanagement.gardener.cloud/v1alpha1", Role::Seed},
    {"CloudProfile", kCore, Role::CloudProfile},
    {"NamespacedCloudProfile", kCore, Role::CloudProfile},
};

/// Gardener's API groups, current and before 2020.
bool is_gardener_group(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  return api_version.empty() || group.ends_with("gardener.cloud") ||
         group.ends_with("garden.sapcloud.io");
}

}  // namespace

const ObjectKind* find_object_kind(std::string_view kind, std::string_view api_version) {
  const auto* row = std::ranges::find_if(kKinds, [&](const ObjectKind& one) {
    return one.kind == kind && one.api_version == api_version;
  });
  return row == std::end(kKinds) ? nullptr : row;
}

const ObjectKind* find_other_version(std::string_view kind, std::string_view api_version) {
  if (!is_gardener_group(api_version)) return nullptr;
  const auto* row = std::ranges::find(kKinds, kind, &ObjectKind::kind);
  return row == std::end(kKinds) ? nullptr : row;
}

std::string_view closest_kind(std::string_view kind, std::string_view api_version) {
  if (!is_gardener_group(api_version)) return "";
  std::array<std::string_view, std::size(kKinds)> kinds;
  std::ranges::transform(kKinds, kinds.begin(), &ObjectKind::kind);
  return document::closest(kind, kinds);
}

}  // namespace overlane::manifest
