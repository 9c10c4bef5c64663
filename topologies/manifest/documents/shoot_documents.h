#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {

// Finds the documents that are about the same shoot. A folder may hold the Shoot from the garden,
// the Network, Cluster and other objects from the seed, patches, and several landscapes at once.
// Each shoot has one leading document; Grouping assigns the other documents to leaders and never
// guesses between two candidates. A Grouping is built once per input; its const functions may be
// called on several threads. It refers to the objects, which must outlive it and keep their
// addresses.

/// Objects by the name that other objects reference. Folders hold several landscapes, so an object
/// of the same file is preferred; if several others match, none is chosen.
class Candidates {
 public:
  void add(const std::string& key, const ObjectHead& object);

  /// The only object with this key in `file`, or else the only one of all files. nullptr if there
  /// is none, or if several match; in this case the key is marked as contested.
  const ObjectHead* choose(const std::string& key, const Interned& file);

  /// Whether a choice under `key` was ambiguous.
  bool is_contested(const std::string& key) const { return find(key).contested; }
  bool has(const std::string& key) const { return !find(key).all.empty(); }
  bool empty() const { return by_key_.empty(); }
  /// Whether `file` holds an object under `key` other than `known`.
  bool has_other(const std::string& key, const Interned& file, const ObjectHead* known) const;

 private:
  using Objects = std::vector<const ObjectHead*>;
  struct Namesakes {
    Objects all;
    bool contested = false;
  };
  using InFile = std::pair<const Namesakes*, Interned>;
  struct HashInFile {
    std::size_t operator()(const InFile& key) const;
  };

  const Namesakes& find(const std::string& key) const;

  /// The objects of `same` in `file`.
  const Objects& in_file(const Namesakes& same, const Interned& file) const;

  std::unordered_map<std::string, Namesakes> by_key_;  ///< Values keep their addresses.
  std::unordered_map<InFile, Objects, HashInFile> in_file_;
};

/// The file that contains the object.
Interned file_of(const ObjectHead& object);

/// The documents about one shoot.
struct ShootDocuments {
  std::array<const ObjectHead*, kRoles> by_role{};  ///< nullptr: not given.
  std::vector<const ObjectHead*> patches;           ///< Applied to the Shoot in this order.
  const ObjectHead* parent_profile =
      nullptr;  ///< The CloudProfile that a NamespacedCloudProfile extends.
  /// Seeds that the scheduler could choose for a Shoot that names none.
  std::vector<const ObjectHead*> possible_seeds;
  document::Tree patched;  ///< The Shoot with its patches, if any.

  const ObjectHead*& operator[](Role role) { return by_role[static_cast<std::size_t>(role)]; }
  const ObjectHead* operator[](Role role) const { return by_role[static_cast<std::size_t>(role)]; }

  /// The leading document: the Shoot, or else the Network, or else the Cluster.
  const ObjectHead& leader() const;
  /// Whether the leader is the only document.
  bool is_alone() const;
  /// The Shoot, or else the Shoot that the Cluster embeds. `whole` is absent if there is neither.
  ShootView view() const;
};

/// Groups documents by shoot. A seed's objects about a shoot are in the namespace with the name of
/// the Cluster, which is the shoot's technical id. The id is in the Shoot, in the Shoot that a
/// Cluster embeds, or derived from the Shoot's names. The Shoot names its Seed and CloudProfile. A
/// Shoot without a seed gets all seeds that could take it, by provider type, region and seed
/// selector.
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
    assert(&object >= objects_.data() && &object < objects_.data() + objects_.size());
    return static_cast<std::size_t>(&object - objects_.data());
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::span<const ObjectHead> objects_;
  std::vector<bool> used_;          ///< By object.
  std::vector<std::uint32_t> led_;  ///< By object: index into documents_ if it leads, else kNone.

  std::vector<ShootDocuments> documents_;
  std::array<Candidates, kRoles> by_role_;  ///< Has Shoots only if a seed has objects for them.
  bool has_seed_objects_ = false;
  bool has_patches_ = false;
  Candidates shoots_by_name_;             ///< Shoots that patches may apply to.
  std::vector<const ObjectHead*> seeds_;  ///< Seeds that no other object repeats.
  std::unordered_map<std::string, std::string> embedded_ids_;  ///< namespace/name → Cluster.
  std::unordered_map<const ObjectHead*, std::vector<const ObjectHead*>> patches_;
  std::unordered_map<const ObjectHead*, const ObjectHead*> repeats_;
};

}  // namespace overlane::manifest
