#pragma once

#include <cstddef>
#include <string_view>

namespace overlane::manifest {

/// What a document can tell about a shoot.
enum class Role {
  Shoot,    ///< The shoot itself: a Shoot of any API, or what holds one.
  Network,  ///< The pod network of a shoot, in a seed.
  Cluster,  ///< A seed's copies of the Shoot, its Seed and its CloudProfile.
  Infrastructure,
  ControlPlane,
  Worker,
  Seed,          ///< A ManagedSeed too.
  CloudProfile,  ///< A NamespacedCloudProfile too.
};
inline constexpr std::size_t kRoles = 8;

/// A Seed whose gardenlet Gardener deploys: the Seed of its name is made of it.
inline constexpr std::string_view kManagedSeed = "ManagedSeed";

/// Where a document keeps a shoot, and how it spells it.
enum class ShootForm {
  None,
  Shoot,           ///< metadata, spec and status.
  Shoot2020,       ///< garden.sapcloud.io/v1beta1: the cloud's part is under spec.cloud.
  ManagedSeedSet,  ///< spec.shootTemplate.
  Runtime,         ///< spec.shoot, which is a shoot's spec with a name.
};

/// One kind of document that is read.
struct ObjectKind {
  std::string_view kind;
  std::string_view api_version;
  Role role;
  ShootForm form = ShootForm::None;
};

/// The row of a kind in its apiVersion, or nullptr.
const ObjectKind* find_object_kind(std::string_view kind, std::string_view api_version);

/// The first row of a kind whose apiVersion is another one of Gardener's; nullptr if the kind is
/// none of those that are read. Other projects have kinds named Network and Cluster too.
const ObjectKind* find_other_version(std::string_view kind, std::string_view api_version);

/// The kind that `kind` may be a misspelling of, in a group of Gardener's; empty: none.
std::string_view meant_kind(std::string_view kind, std::string_view api_version);

}  // namespace overlane::manifest
