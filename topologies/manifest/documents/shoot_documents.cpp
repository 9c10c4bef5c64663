#include "topologies/manifest/documents/shoot_documents.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"

namespace overlane::manifest {

void Candidates::add(const std::string& key, const ObjectHead& object) {
  if (key.empty()) return;
  Namesakes& same = by_key_[key];
  same.all.push_back(&object);
  in_file_[{&same, file_of(object)}].push_back(&object);
}

const ObjectHead* Candidates::choose(const std::string& key, const Interned& file) {
  const auto anywhere = by_key_.find(key);
  if (anywhere == by_key_.end()) return nullptr;
  Namesakes& same = anywhere->second;
  const Objects& own = in_file(same, file);
  const Objects& possible = own.empty() ? same.all : own;
  if (possible.size() == 1) return possible.front();
  same.contested = true;
  return nullptr;
}

bool Candidates::has_other(const std::string& key, const Interned& file,
                           const ObjectHead* known) const {
  return std::ranges::any_of(in_file(find(key), file),
                             [&](const ObjectHead* object) { return object != known; });
}

const Candidates::Namesakes& Candidates::find(const std::string& key) const {
  static const Namesakes kNone;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? kNone : found->second;
}

const Candidates::Objects& Candidates::in_file(const Namesakes& same, const Interned& file) const {
  static const Objects kNone;
  const auto found = in_file_.find({&same, file});
  return found == in_file_.end() ? kNone : found->second;
}

std::size_t Candidates::HashInFile::operator()(const InFile& key) const {
  return std::hash<const void*>()(key.first) ^ std::hash<const void*>()(&key.second.str());
}

Interned file_of(const ObjectHead& object) {
  return object.place.file;
}

namespace {

using document::Value;

bool embeds_shoot(const ObjectHead& cluster) {
  return view_embedded_shoot(cluster).whole && !unknown_embedded_shoot(cluster);
}

/// The roles of a seed's objects, which are in their shoot's namespace.
constexpr std::array kSeedRoles = {Role::Network, Role::Cluster, Role::Infrastructure,
                                   Role::ControlPlane, Role::Worker};

struct SameNameAndFile {
  bool operator()(const ObjectHead* a, const ObjectHead* b) const {
    return a->name == b->name && file_of(*a) == file_of(*b);
  }
};

std::string key_of(std::string_view kind, std::string_view namespace_, std::string_view name) {
  return name.empty() ? "" : fmt::format("{}/{}/{}", kind, namespace_, name);
}

/// The key by which other objects refer to this one. A Shoot has none of its own.
std::string own_key(const ObjectHead& object) {
  switch (object.kind->role) {
    case Role::Network:
    case Role::Infrastructure:
    case Role::ControlPlane:
    case Role::Worker:
      return object.name.namespace_;
    case Role::Cluster:
      return object.name.name;
    case Role::Seed:
      return object.name.kind == kManagedSeed ? key_of(kManagedSeed, "", object.name.name)
                                              : object.name.name;
    case Role::CloudProfile:
      return key_of(object.name.kind, object.name.namespace_, object.name.name);
    case Role::Shoot:
      break;
  }
  return "";
}

bool same_name(const ShootView& shoot, const ShootView& embedded) {
  const bool told = embedded.metadata["name"] && embedded.metadata["namespace"];
  return !told || (embedded.name.name == shoot.name.name &&
                   embedded.name.namespace_ == shoot.name.namespace_);
}

bool same_type(const ObjectHead& network, const ShootView& embedded) {
  const std::string_view type = embedded.networking()["type"].text();
  return type.empty() || type == network.root["spec"]["type"].text();
}

/// The CloudProfile that a shoot names: kind, namespace, name.
std::string profile_key(const ShootView& shoot) {
  const Value spec = shoot.spec;
  const Value reference = spec["cloudProfile"];
  if (reference["kind"].text() == "NamespacedCloudProfile")
    return key_of("NamespacedCloudProfile", shoot.name.namespace_, reference["name"].text());
  const Value of_2020 = spec["cloud"]["profile"];
  for (const Value& name : {reference["name"], spec["cloudProfileName"], of_2020})
    if (!name.text().empty()) return key_of("CloudProfile", "", name.text());
  return "";
}

/// The Seed in an object; a ManagedSeed has it in the gardenlet's configuration.
Value seed_in(const ObjectHead& object) {
  return object.name.kind == kManagedSeed ? object.root["spec"]["gardenlet"]["config"]["seedConfig"]
                                          : object.root;
}

bool has_word(const Value& list, std::string_view word) {
  return std::ranges::any_of(list, [&](const Value& one) { return one.text() == word; });
}

/// Whether the labels match one of a label selector's matchExpressions
/// (metav1.LabelSelectorRequirement).
bool fits_expression(const Value& expression, const Value& labels) {
  const Value label = labels[expression["key"].text()];
  const std::string_view operation = expression["operator"].text();
  if (operation == "Exists") return bool(label);
  if (operation == "DoesNotExist") return !label;
  const bool is_listed = bool(label) && has_word(expression["values"], label.text());
  return operation == "NotIn" ? !is_listed : is_listed;
}

bool fits_selector(const Value& selector, const Value& labels) {
  const Value wanted = selector["matchLabels"];
  return std::ranges::all_of(
             wanted, [&](const Value& one) { return labels[one.key()].text() == one.text(); }) &&
         std::ranges::all_of(selector["matchExpressions"],
                             [&](const Value& one) { return fits_expression(one, labels); });
}

/// Whether the scheduler could choose the seed for the shoot, by its default strategy SameRegion
/// (gardener/gardener pkg/scheduler/controller/shoot/reconciler.go). Taints are not compared.
bool could_take(const Value& seed, const ShootView& shoot) {
  const Value provider = seed["spec"]["provider"];
  const std::string_view type = provider["type"].text();
  const Value selector = shoot.spec["seedSelector"];
  const Value types = selector["providerTypes"];
  const bool has_type = types.size() > 0 ? has_word(types, "*") || has_word(types, type)
                                         : type == shoot.spec["provider"]["type"].text();
  const Value visible = seed["spec"]["settings"]["scheduling"]["visible"];
  return !type.empty() && has_type && visible.as_bool() != false &&
         provider["region"].text() == shoot.spec["region"].text() &&
         fits_selector(selector, seed["metadata"]["labels"]);
}

std::string seed_key(const ShootView& shoot) {
  for (const Value& name :
       {shoot.status["seedName"], shoot.spec["seedName"], shoot.spec["cloud"]["seed"]})
    if (!name.text().empty()) return std::string(name.text());
  return "";
}

}  // namespace

const ObjectHead& ShootDocuments::leader() const {
  for (const Role role : {Role::Shoot, Role::Network})
    if ((*this)[role] != nullptr) return *(*this)[role];
  return *(*this)[Role::Cluster];
}

bool ShootDocuments::is_alone() const {
  const auto given = [](const ObjectHead* object) { return object != nullptr; };
  return std::ranges::count_if(by_role, given) == 1 && patches.empty();
}

ShootView ShootDocuments::view() const {
  const ObjectHead* shoot = (*this)[Role::Shoot];
  if (shoot != nullptr)
    return view_shoot(*shoot, patched.root().exists() ? patched.root() : shoot->root);
  const ObjectHead* cluster = (*this)[Role::Cluster];
  return cluster != nullptr ? view_embedded_shoot(*cluster) : ShootView();
}

Grouping::Grouping(std::span<const ObjectHead> objects)
    : objects_(objects), used_(objects.size()), led_(objects.size(), kNone) {
  index();
  add_shoots();
  add_patches();
  documents_.reserve(
      static_cast<std::size_t>(std::ranges::count(objects, true, &ObjectHead::is_whole_shoot)));
  for (const ObjectHead& object : objects_)
    if (object.is_whole_shoot && !is_repeated(object)) lead(object);
  for (const Role role : {Role::Network, Role::Cluster})
    for (const ObjectHead& object : objects_)
      if (object.is(role) && !is_used(object) && !is_repeated(object) &&
          (role == Role::Network || embeds_shoot(object)))
        lead(object);
}

void Grouping::index() {
  std::unordered_set<const ObjectHead*, HashOfName, SameNameAndFile> known(objects_.size());
  for (const ObjectHead& object : objects_) {
    if (object.kind == nullptr) continue;
    if (object.is(Role::Shoot) && !object.is_whole_shoot) {
      has_patches_ = true;
      continue;
    }
    const auto [first, fresh] = known.insert(&object);
    if (!fresh && !object.name.name.empty()) {
      repeats_.emplace(&object, *first);
      continue;
    }
    if (object.is(Role::Shoot)) continue;
    candidates(object.kind->role).add(own_key(object), object);
    if (object.is(Role::Seed)) seeds_.push_back(&object);
    if (!object.is(Role::Cluster)) continue;
    const ShootView shoot = view_embedded_shoot(object);
    if (!shoot.name.namespace_.empty())
      embedded_ids_.emplace(shoot.name.qualified(), object.name.name);
  }
}

void Grouping::add_shoots() {
  has_seed_objects_ =
      std::ranges::any_of(kSeedRoles, [this](Role role) { return !candidates(role).empty(); });
  if (!has_seed_objects_ && !has_patches_) return;
  for (const ObjectHead& object : objects_) {
    if (!object.is_whole_shoot || is_repeated(object)) continue;
    if (const std::string id = id_of(object); is_wanted(id))
      candidates(Role::Shoot).add(id, object);
    if (!has_patches_ || object.kind->form != ShootForm::Shoot) continue;
    shoots_by_name_.add(object.name.name, object);
    shoots_by_name_.add(key_of("Shoot", object.name.namespace_, object.name.name), object);
  }
}

/// Whether an object of a seed has this technical id.
bool Grouping::is_wanted(const std::string& id) const {
  return std::ranges::any_of(kSeedRoles, [&](Role role) { return candidates(role).has(id); });
}

std::string Grouping::id_of(const ObjectHead& object) const {
  const ShootView shoot = view_shoot(object, object.root);
  const auto embedded = embedded_ids_.find(shoot.name.qualified());
  const bool told = bool(shoot.status["technicalID"]);
  return embedded == embedded_ids_.end() || told ? technical_id(shoot) : embedded->second;
}

void Grouping::add_patches() {
  if (!has_patches_) return;
  for (const ObjectHead& object : objects_) {
    if (!object.is(Role::Shoot) || object.kind->form != ShootForm::Shoot) continue;
    if (object.is_whole_shoot) continue;
    const ObjectHead* shoot = patched_by(object);
    if (shoot == nullptr) continue;
    patches_[shoot].push_back(&object);
    used_[index_of(object)] = true;
  }
}

/// The Shoot that a patch applies to; nullptr if there is none or several match. A patch or Shoot
/// without a namespace is matched by name alone.
const ObjectHead* Grouping::patched_by(const ObjectHead& patch) {
  const ObjectName& name = patch.name;
  const Interned file = file_of(patch);
  if (name.namespace_.empty()) return shoots_by_name_.choose(name.name, file);
  const std::string own = key_of("Shoot", name.namespace_, name.name);
  return shoots_by_name_.choose(shoots_by_name_.has(own) ? own : key_of("Shoot", "", name.name),
                                file);
}

void Grouping::lead(const ObjectHead& leader) {
  ShootDocuments& documents = documents_.emplace_back();
  led_[index_of(leader)] = static_cast<std::uint32_t>(documents_.size() - 1);
  documents[leader.kind->role] = &leader;
  if (const auto patches = patches_.find(&leader); patches != patches_.end()) {
    documents.patches = patches->second;
    Value root = leader.root;
    for (const ObjectHead* patch : documents.patches) {
      documents.patched = document::merge_patch(root, patch->root);
      root = documents.patched.root();
    }
  }
  choose_seed_objects(documents);
  choose_garden_objects(documents);
  for (const ObjectHead* object : documents.by_role)
    if (object != nullptr) used_[index_of(*object)] = true;
  if (documents.parent_profile != nullptr) used_[index_of(*documents.parent_profile)] = true;
}

void Grouping::choose_seed_objects(ShootDocuments& documents) {
  if (!has_seed_objects_) return;
  const ObjectHead& leader = documents.leader();
  const std::string id = leader.is(Role::Shoot) ? id_of(leader) : own_key(leader);
  if (!is_wanted(id)) return;
  if (leader.is(Role::Shoot)) choose_network(documents, id);
  if (!leader.is(Role::Cluster)) choose_cluster(documents, id);
  for (const Role role : {Role::Infrastructure, Role::ControlPlane, Role::Worker}) {
    const ObjectHead* object = candidates(role).choose(id, file_of(leader));
    if (object != nullptr && belongs(*object, documents, id)) documents[role] = object;
  }
}

/// Whether the object may belong to these documents: its file has no other shoot with this id.
bool Grouping::belongs(const ObjectHead& object, const ShootDocuments& documents,
                       const std::string& id) const {
  const Interned file = file_of(object);
  for (const Role role : {Role::Shoot, Role::Network, Role::Cluster}) {
    const ObjectHead* known = object.is(role) ? &object : documents[role];
    if (by_role_[static_cast<std::size_t>(role)].has_other(id, file, known)) return false;
  }
  return true;
}

void Grouping::choose_network(ShootDocuments& documents, const std::string& id) {
  const ObjectHead& shoot = *documents[Role::Shoot];
  const ObjectHead* network = candidates(Role::Network).choose(id, file_of(shoot));
  if (network != nullptr && candidates(Role::Shoot).choose(id, file_of(*network)) == &shoot)
    documents[Role::Network] = network;
}

void Grouping::choose_cluster(ShootDocuments& documents, const std::string& id) {
  const ObjectHead& leader = documents.leader();
  const ObjectHead* cluster = candidates(Role::Cluster).choose(id, file_of(leader));
  if (cluster == nullptr || !embeds_shoot(*cluster) || !belongs(*cluster, documents, id)) return;
  const ShootView embedded = view_embedded_shoot(*cluster);
  const bool fits =
      leader.is(Role::Shoot) ? same_name(documents.view(), embedded) : same_type(leader, embedded);
  if (fits) documents[Role::Cluster] = cluster;
}

void Grouping::choose_garden_objects(ShootDocuments& documents) {
  if (candidates(Role::Seed).empty() && candidates(Role::CloudProfile).empty()) return;
  const ShootView shoot = documents.view();
  const Interned file = file_of(documents.leader());
  Candidates& seeds = candidates(Role::Seed);
  const std::string seed = seed_key(shoot);
  documents[Role::Seed] =
      seeds.choose(seeds.has(seed) ? seed : key_of(kManagedSeed, "", seed), file);
  if (seed.empty()) choose_possible_seeds(documents, shoot);
  const ObjectHead* profile = candidates(Role::CloudProfile).choose(profile_key(shoot), file);
  documents[Role::CloudProfile] = profile;
  if (profile == nullptr) return;
  const std::string parent =
      key_of("CloudProfile", "", profile->root["spec"]["parent"]["name"].text());
  documents.parent_profile = candidates(Role::CloudProfile).choose(parent, file_of(*profile));
}

/// Adds the seeds that could take the shoot. A shoot with a Cluster gets none, because the Cluster
/// embeds its seed.
void Grouping::choose_possible_seeds(ShootDocuments& documents, const ShootView& shoot) {
  if (documents[Role::Shoot] == nullptr || documents[Role::Cluster] != nullptr) return;
  for (const ObjectHead* object : seeds_) {
    const Value seed = seed_in(*object);
    if (!could_take(seed, shoot)) continue;
    documents.possible_seeds.push_back(object);
    used_[index_of(*object)] = true;
  }
}

const ShootDocuments* Grouping::led_by(const ObjectHead& leader) const {
  const std::uint32_t led = led_[index_of(leader)];
  return led == kNone ? nullptr : &documents_[led];
}

const ObjectHead* Grouping::repeats(const ObjectHead& object) const {
  const auto found = repeats_.find(&object);
  return found == repeats_.end() ? nullptr : found->second;
}

bool Grouping::is_contested(const ObjectHead& object) const {
  if (object.is(Role::Shoot)) {
    const bool named = !object.name.namespace_.empty();
    return shoots_by_name_.is_contested(
        named ? key_of("Shoot", object.name.namespace_, object.name.name) : object.name.name);
  }
  return by_role_[static_cast<std::size_t>(object.kind->role)].is_contested(own_key(object));
}

}  // namespace overlane::manifest
