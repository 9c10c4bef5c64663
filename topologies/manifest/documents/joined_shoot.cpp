#include "topologies/manifest/documents/joined_shoot.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/documents/extension_objects.h"
#include "topologies/manifest/documents/join.h"

namespace overlane::manifest {
namespace {

class Joined {
 public:
  Joined(const ShootDocuments& documents, Detail detail) : documents_(documents), detail_(detail) {}

  Decoded decode(GardenObjects& garden) {
    add_shoot();
    add_network();
    add(Role::Infrastructure, decode_infrastructure);
    add(Role::ControlPlane, decode_control_plane);
    add(Role::Worker, decode_worker);
    if (!spec_ || spec_->type.value.empty()) return nothing();
    add_garden_objects(garden);
    check_provider();
    const SourceLocation first = documents_.leader().place;
    std::ranges::stable_partition(used_,
                                  [&](const Source& source) { return source.place == first; });
    spec_->sources = std::move(used_);
    return {std::move(spec_), std::move(findings_)};
  }

 private:
  /// The decoded document, unless it is refused.
  std::optional<PodNetworkSpec> admit(const ObjectHead& object, Decoded decoded) {
    if (decoded.spec && detail_ == Detail::Summary)
      if (auto refusal = not_admitted(decoded.findings)) decoded = {{}, {*std::move(refusal)}};
    findings_.insert(findings_.end(), decoded.findings.begin(), decoded.findings.end());
    if (decoded.spec) use(object);
    return std::move(decoded.spec);
  }

  void use(const ObjectHead& object) { used_.push_back({object.name, object.place}); }

  void add_shoot() {
    const ObjectHead* cluster = documents_[Role::Cluster];
    if (const ObjectHead* shoot = documents_[Role::Shoot]) {
      spec_ = admit(*shoot, decode_shoot(documents_.view()));
      for (const ObjectHead* patch : documents_.patches)
        apply(*patch);
    }
    if (cluster == nullptr) return;
    Decoded embedded = decode_shoot(view_embedded_shoot(*cluster));
    // Errors that the user can fix are reported for the Shoot.
    if (spec_ && embedded.spec) embedded.findings.clear();
    auto admitted = admit(*cluster, std::move(embedded));
    if (!admitted) return;
    if (spec_)
      fill_from(*spec_, *admitted, findings_);
    else
      spec_ = std::move(admitted);
  }

  void apply(const ObjectHead& patch) {
    use(patch);
    if (spec_) spec_->is_changed = true;
    findings_.push_back(refuse(patch.name, patch.root, "patch-applied",
                               fmt::format("this part of a Shoot is laid over the whole one at {}",
                                           documents_[Role::Shoot]->place.to_string()),
                               "", Severity::Note));
  }

  void add_network() {
    const ObjectHead* object = documents_[Role::Network];
    if (object == nullptr) return;
    auto network = admit(*object, decode_network(*object));
    if (!network) return;
    if (!spec_) {
      spec_ = std::move(network);
      return;
    }
    override_with(*spec_, *network, findings_);
    if (documents_[Role::Shoot] != nullptr) return;
    spec_->object = network->object;
    spec_->place = network->place;
  }

  void add(Role role, Decoded (*decoder)(const ObjectHead&)) {
    const ObjectHead* object = documents_[role];
    if (object == nullptr) return;
    const auto other = admit(*object, decoder(*object));
    if (other && spec_) fill_from(*spec_, *other, findings_);
  }

  void add_garden_objects(GardenObjects& garden) {
    const ObjectHead* cluster = documents_[Role::Cluster];
    if (const ObjectHead* seed = documents_[Role::Seed]) {
      spec_->seed = garden.seed(*seed);
      if (spec_->seed) use(*seed);
    }
    for (const ObjectHead* object : documents_.possible_seeds)
      if (auto seed = garden.seed(*object)) spec_->possible_seeds.push_back(std::move(seed));
    if (documents_.possible_seeds.size() == 1 && spec_->possible_seeds.size() == 1)
      use(*documents_.possible_seeds.front());
    if (const ObjectHead* profile = documents_[Role::CloudProfile]) {
      spec_->cloud_profile = garden.profile(*profile, documents_.parent_profile);
      if (spec_->cloud_profile) use(*profile);
      if (documents_.parent_profile != nullptr) use(*documents_.parent_profile);
    }
    if (cluster == nullptr) return;
    if (!spec_->seed) spec_->seed = admit_embedded(*cluster, embedded_seed);
    if (!spec_->cloud_profile) spec_->cloud_profile = admit_embedded(*cluster, embedded_profile);
  }

  /// An object that a Cluster embeds, unless it is refused. Fields of newer releases are not
  /// reported.
  template <typename T>
  std::shared_ptr<const T> admit_embedded(const ObjectHead& cluster,
                                          std::shared_ptr<const T> (*read)(const ObjectHead&,
                                                                           document::Problems&)) {
    document::Problems problems(cluster.name);
    auto value = read(cluster, problems);
    if (const auto refusal = not_admitted(problems.findings());
        refusal && detail_ == Detail::Summary) {
      findings_.push_back(*refusal);
      return nullptr;
    }
    std::ranges::copy_if(problems.findings(), std::back_inserter(findings_),
                         [](const Finding& one) { return one.severity == Severity::Error; });
    return value;
  }

  void check_provider() {
    if (spec_->shoot.provider || spec_->object.kind == "Network") return;
    findings_.push_back(
        refuse(spec_->object, documents_.view().spec, "unknown-provider",
               "the shoot names no spec.provider.type, so no cloud's defaults are applied",
               "give the whole Shoot", Severity::Warning));
  }

  /// The result if no accepted document gives a network type.
  Decoded nothing() {
    if (!documents_.patches.empty() && !documents_.view().is_whole())
      findings_.push_back(refuse(documents_[Role::Shoot]->name, documents_.patches.back()->root,
                                 "unsupported-fragment",
                                 "with its patches this Shoot has no spec.networking.type",
                                 "take the patch of the type out, or give the whole Shoot"));
    for (const ObjectHead* object : documents_.by_role) {
      if (object == nullptr || !is_left(*object)) continue;
      // Their type is not a string, which they report.
      if (object->is(Role::Shoot) || object->is(Role::Network)) continue;
      findings_.push_back(object->is(Role::Cluster) ? only_a_part(*object) : unneeded(*object));
    }
    return {std::nullopt, std::move(findings_)};
  }

  /// Whether it has no finding yet: it was used for a spec that does not exist.
  bool is_left(const ObjectHead& object) const {
    const auto at = [&](const Source& source) { return source.place == object.place; };
    return std::ranges::any_of(used_, at);
  }

  Finding only_a_part(const ObjectHead& cluster) const {
    const ShootView shoot = view_embedded_shoot(cluster);
    return without_network_type(shoot.name, shoot.whole, shoot, "spec.networking.type",
                                "give the whole Shoot (workerless ones have no pod network)");
  }

  static Finding unneeded(const ObjectHead& object) {
    return refuse(
        object.name, object.root, "unused-document",
        fmt::format("no document gives the network type of the shoot of this {}", object.name.kind),
        "give its Shoot or its Network too", Severity::Note);
  }

  const ShootDocuments& documents_;
  Detail detail_;
  std::optional<PodNetworkSpec> spec_;
  std::vector<Source> used_;
  Findings findings_;
};

}  // namespace

Decoded decode_joined(const ShootDocuments& documents, GardenObjects& garden, Detail detail) {
  return Joined(documents, detail).decode(garden);
}

}  // namespace overlane::manifest
