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

/// The documents about one shoot.
struct ShootDocuments {
  std::array<const ObjectHead*, kRoles> by_role{};  ///< nullptr: not given.
  std::vector<const ObjectHead*> patches;           ///< Applied to the Shoot in this order.
  const ObjectHead* parent_profile = nullptr;       ///< Of a NamespacedCloudProfile.
  /// Seeds that the scheduler could choose for a Shoot that names none.
  std::vector<const ObjectHead*> possible_seeds;
  document::Tree patched;  ///< The Shoot with its patches, if any.

  const ObjectHead*& operator[](Role role) { return by_role[static_cast<std::size_t>(role)]; }
  const ObjectHead* operator[](Role role) const { return by_role[static_cast<std::size_t>(role)]; }

  /// The Shoot; else its Network, else its Cluster.
  const ObjectHead& leader() const;
  /// Whether the leader is the only document.
  bool is_alone() const;
  /// The Shoot; else the one that the Cluster embeds. `whole` is absent if there is neither.
  ShootView view() const;
};

/// Groups documents by shoot. A seed's objects are in the namespace named like the Cluster: the
/// shoot's technical id. The id is in the Shoot, in the Shoot that a Cluster embeds, or derived
/// from the Shoot's names. The Shoot names its Seed and CloudProfile. One without a seed gets those
/// that could take it: of its provider type and region, and its seed selector.
///
/// A Network and a Shoot are paired only if each is the other's only candidate. All other documents
/// can belong to several shoots, such as one Shoot before and after a change, unless their file has
/// its own Shoot, Network or Cluster for them.
class Grouping {
 public:
  /// The objects must outlive it; pass objects by their address in this span.
  explicit Grouping(std::span<const ObjectHead> objects);

  /// The documents led by `leader`; nullptr if it leads none.
  const ShootDocuments* led_by(const ObjectHead& leader) const;
  bool is_used(const ObjectHead& object) const { return used_[index_of(object)]; }
  /// The earlier object of the same file with the same kind and name, or nullptr. Patches (parts of
  /// Shoots) are never repeats.
  const ObjectHead* repeats(const ObjectHead& object) const;
  /// Whether a shoot had to choose between this object and another one.
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
  void choose_possible_seeds(ShootDocuments& documents, const ShootView& shoot);
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
  std::vector<std::uint32_t> led_;  ///< Index of its group if it leads one, or kNone.

  std::vector<ShootDocuments> documents_;
  std::array<Candidates, kRoles> by_role_;  ///< Shoots only if a seed has objects for them.
  bool has_seed_objects_ = false;
  bool has_patches_ = false;
  Candidates shoots_by_name_;             ///< For patches; empty if there are none.
  std::vector<const ObjectHead*> seeds_;  ///< Those that no other object repeats.
  std::unordered_map<std::string, std::string> embedded_ids_;  ///< namespace/name → Cluster.
  std::unordered_map<const ObjectHead*, std::vector<const ObjectHead*>> patches_;
  std::unordered_map<const ObjectHead*, const ObjectHead*> repeats_;
};

}  // namespace overlane::manifest
