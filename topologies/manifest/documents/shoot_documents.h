#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "topologies/manifest/documents/candidates.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {

/// The documents that speak about one shoot.
struct ShootDocuments {
  std::array<const ObjectHead*, kRoles> by_role{};  ///< nullptr: none is given.
  std::vector<const ObjectHead*> patches;           ///< Laid over the Shoot, in this order.
  const ObjectHead* parent_profile = nullptr;       ///< Of a NamespacedCloudProfile.
  document::Tree patched;                           ///< The Shoot with its patches, if any.

  const ObjectHead*& operator[](Role role) { return by_role[static_cast<std::size_t>(role)]; }
  const ObjectHead* operator[](Role role) const { return by_role[static_cast<std::size_t>(role)]; }

  /// The Shoot; without one its network, without that the Cluster.
  const ObjectHead& leader() const;
  /// The Shoot; without one what the Cluster embeds. Its `whole` is absent if there is neither.
  ShootView view() const;
};

/// Puts the documents of a shoot together. A seed's objects stand in the namespace that is named
/// like the Cluster: the shoot's technical id. A Shoot says its own, or a Cluster embeds it, or its
/// names make it up. Seeds and CloudProfiles are found by the names that the Shoot gives.
///
/// A Network and a Shoot must be each other's only choice. All other documents can serve several
/// shoots, such as one Shoot before and after a change, unless their own file has another Shoot,
/// Network or Cluster for them.
class Grouping {
 public:
  /// The objects must outlive it, and whoever asks about one must give it where it stands.
  explicit Grouping(std::span<const ObjectHead> objects);

  /// The documents that `leader` is the leader of; nullptr if it leads none.
  const ShootDocuments* led_by(const ObjectHead& leader) const;
  bool is_used(const ObjectHead& object) const { return used_[index_of(object)]; }
  /// The earlier object of the same file that has the same kind and name; nullptr: none. Parts of
  /// Shoots, which are patches, repeat nothing.
  const ObjectHead* repeats(const ObjectHead& object) const;
  /// Whether some shoot could not choose between this object and another one.
  bool is_contested(const ObjectHead& object) const;

 private:
  bool is_repeated(const ObjectHead& object) const { return repeats(object) != nullptr; }
  bool is_wanted(const std::string& id) const;
  void index();
  void add_shoots();
  void add_patches();
  const ObjectHead* patched_by(const ObjectHead& patch);
  void lead(const ObjectHead& leader);
  void choose_seed_objects(ShootDocuments& documents);
  bool belongs(const ObjectHead& object, const ShootDocuments& documents,
               const std::string& id) const;
  void choose_network(ShootDocuments& documents, const std::string& id);
  void choose_cluster(ShootDocuments& documents, const std::string& id);
  void choose_garden_objects(ShootDocuments& documents);
  std::string id_of(const ObjectHead& object) const;
  Candidates& candidates(Role role) { return by_role_[static_cast<std::size_t>(role)]; }
  const Candidates& candidates(Role role) const { return by_role_[static_cast<std::size_t>(role)]; }
  std::size_t index_of(const ObjectHead& object) const {
    return static_cast<std::size_t>(&object - objects_.data());
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::span<const ObjectHead> objects_;
  // Of each object:
  std::vector<bool> used_;
  std::vector<std::uint32_t> led_;  ///< Index of the documents that it leads, or kNone.

  std::vector<ShootDocuments> documents_;
  std::array<Candidates, kRoles> by_role_;  ///< Of Shoots only those with objects of a seed.
  bool has_seed_objects_ = false;
  bool has_patches_ = false;
  Candidates shoots_by_name_;                                  ///< For patches; empty without any.
  std::unordered_map<std::string, std::string> embedded_ids_;  ///< namespace/name → Cluster.
  std::unordered_map<const ObjectHead*, std::vector<const ObjectHead*>> patches_;
  std::unordered_map<const ObjectHead*, const ObjectHead*> repeats_;
};

}  // namespace overlane::manifest
