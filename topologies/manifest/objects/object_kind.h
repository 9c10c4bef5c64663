#pragma once

#include <cstddef>
#include <string_view>

namespace overlane::manifest {

/// The role of a document for a shoot.
enum class Role {
  Shoot,    ///< A Shoot of any API, or an object that embeds one.
  Network,  ///< The pod network of a shoot, in a seed.
  Cluster,  ///< A seed's copies of the Shoot, its Seed and its CloudProfile.
  Infrastructure,
  ControlPlane,
  Worker,
  Seed,          ///< A ManagedSeed too.
  CloudProfile,  ///< A NamespacedCloudProfile too.
};
inline constexpr std::size_t kRoles = 8;

/// A Seed with a gardenlet that Gardener deploys: the Seed of the same name is created from it.
inline constexpr std::string_view kManagedSeed = "ManagedSeed";

/// Where and in which format a document contains a shoot.
enum class ShootForm {
  None,
  Shoot,           ///< metadata, spec and status.
  Shoot2020,       ///< garden.sapcloud.io/v1beta1: the provider's part is under spec.cloud.
  ManagedSeedSet,  ///< spec.shootTemplate.
  Runtime,         ///< spec.shoot: a shoot's spec with a name.
};

/// One supported kind of document.
struct ObjectKind {
  std::string_view kind;
  std::string_view api_version;
  Role role;
  ShootForm form = ShootForm::None;
};

/// The row of a kind and apiVersion, or nullptr.
const ObjectKind* find_object_kind(std::string_view kind, std::string_view api_version);

/// The first row of a kind with another Gardener apiVersion; nullptr if the kind is not supported.
/// Other projects also have kinds named Network and Cluster.
const ObjectKind* find_other_version(std::string_view kind, std::string_view api_version);

/// The supported kind that is closest to a misspelt `kind` in a Gardener API group; empty: none.
std::string_view closest_kind(std::string_view kind, std::string_view api_version);

}  // namespace overlane::manifest
