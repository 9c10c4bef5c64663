#include "topologies/manifest/documents/joined_shoot.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/tree/tree.h"
#include "topologies/manifest/documents/document_decoder.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

namespace {

using document::Problems;
using document::Value;

/// Names an embedded object after its Cluster if it has no name of its own.
template <typename T>
std::shared_ptr<const T> named(T read, const ObjectHead& cluster) {
  if (read.name.empty()) read.name = "of the Cluster " + cluster.name.name;
  return std::make_shared<const T>(std::move(read));
}

}  // namespace

template <typename T, typename Decode>
std::shared_ptr<const T> GardenObjects::look_up(
    std::unordered_map<const ObjectHead*, Known<T>>& known, const ObjectHead& object,
    const Value& root, Decode decode) {
  const std::scoped_lock lock(mutex_);
  const auto [found, fresh] = known.try_emplace(&object);
  Known<T>& entry = found->second;
  if (!fresh) return entry.value;
  const Value spec = root["spec"];
  if (auto finding = unfilled_finding(
          object.name,
          {spec["type"], spec["provider"], spec["networks"], spec["limits"], spec["parent"]},
          object.root)) {
    entry.findings = {*std::move(finding)};
    return nullptr;
  }
  Problems problems(object.name);
  auto value = std::make_shared<const T>(decode(root, problems));
  entry.findings = problems.findings();
  if (detail_ == Detail::Summary)
    if (auto refusal = not_admitted(entry.findings)) {
      entry.findings = {*std::move(refusal)};
      return nullptr;
    }
  return entry.value = std::move(value);
}

std::shared_ptr<const SeedSpec> GardenObjects::seed(const ObjectHead& object) {
  if (object.name.kind != kManagedSeed)
    return look_up<SeedSpec>(seeds_, object, object.root, decode_seed);
  const Value root = object.root["spec"]["gardenlet"]["config"]["seedConfig"];
  if (!root["spec"]) return nullptr;
  return look_up<SeedSpec>(seeds_, object, root, [&](const Value& seed, Problems& problems) {
    SeedSpec read = decode_seed(seed, problems);
    read.name = object.name.name;
    return read;
  });
}

std::shared_ptr<const CloudProfileSpec> GardenObjects::profile(const ObjectHead& object,
                                                               const ObjectHead* parent) {
  const auto inherited =
      parent == nullptr || parent == &object ? nullptr : profile(*parent, nullptr);
  const auto decode = [&](const Value& root, Problems& problems) {
    CloudProfileSpec spec = decode_cloud_profile(root, problems);
    if (inherited) inherit(*inherited, spec);
    return spec;
  };
  return look_up<CloudProfileSpec>(profiles_, object, object.root, decode);
}

const Findings& GardenObjects::findings_of(const ObjectHead& object) const {
  static const Findings kNone;
  if (const auto seed = seeds_.find(&object); seed != seeds_.end()) return seed->second.findings;
  const auto profile = profiles_.find(&object);
  return profile != profiles_.end() ? profile->second.findings : kNone;
}

std::shared_ptr<const SeedSpec> embedded_seed(const ObjectHead& cluster, Problems& problems) {
  const Value seed = cluster.root["spec"]["seed"];
  return seed["spec"] ? named(decode_seed(seed, problems), cluster) : nullptr;
}

std::shared_ptr<const CloudProfileSpec> embedded_profile(const ObjectHead& cluster,
                                                         Problems& problems) {
  const Value profile = cluster.root["spec"]["cloudProfile"];
  if (!profile["spec"]) return nullptr;
  CloudProfileSpec read = decode_cloud_profile(profile, problems);
  if (read.kind.empty()) read.kind = "CloudProfile";
  return named(std::move(read), cluster);
}

namespace {

std::string text_of(const std::string& value) {
  return value;
}
std::string text_of(const IpPrefix& value) {
  return value.to_string();
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of(const std::vector<std::string>& value) {
  return fmt::format("{}", fmt::join(value, ", "));
}

/// The fields of `less` that differ in `more` or are absent there, except apiVersion and kind.
std::vector<std::string> differing(const Value& more, const Value& less) {
  std::vector<std::string> keys;
  for (const Value entry : less)
    if (entry.key() != "apiVersion" && entry.key() != "kind" && !covers(more[entry.key()], entry))
      keys.emplace_back(entry.key());
  return keys;
}

class Joiner {
 public:
  Joiner(const ObjectName& object, Findings& findings) : object_(&object), findings_(&findings) {}

  /// Warns if both are given and differ; `loser` is ignored.
  template <typename T>
  void compare(const Field<T>& loser, const Field<T>& winner) {
    if (!loser || !winner || loser->value == winner->value) return;
    warn(
        loser->path, loser->place,
        fmt::format("{} is {}, but {} is {} ({}), which counts", loser->path, text_of(loser->value),
                    winner->path, text_of(winner->value), winner->place.to_string()));
  }

  /// Compares two providerConfigs, one of which may be absent. Additional fields of the winner
  /// are no difference: admission adds fields.
  void compare_configs(const Value& loser, const Value& winner, const std::string& winner_name) {
    const auto keys = differing(winner, loser);
    if (keys.empty()) return;
    warn(loser.path(), loser.place(),
         fmt::format("{} differs in {} from that of {}, which counts", loser.path(),
                     fmt::join(keys, ", "), winner_name));
  }

  /// Compares the worker pools of two documents; `path` is that of the losers.
  void compare_pools(const char* path, const std::vector<WorkerPool>& losers,
                     const std::vector<WorkerPool>& winners) {
    if (losers.empty() || winners.empty()) return;
    for (const WorkerPool& loser : losers) {
      const auto winner = std::ranges::find(winners, loser.name, &WorkerPool::name);
      if (winner == winners.end()) {
        warn(path, loser.place,
             fmt::format("worker pool {} is not in the document whose pools count ({})", loser.name,
                         winners.front().place.to_string()));
        continue;
      }
      compare_pool_field(path, loser, *winner, "minimum", loser.minimum, winner->minimum);
      compare_pool_field(path, loser, *winner, "maximum", loser.maximum, winner->maximum);
      if (!loser.machine_type.empty() && !winner->machine_type.empty())
        compare_pool_field(path, loser, *winner, "machine type", loser.machine_type,
                           winner->machine_type);
      if (!loser.zones.empty() && !winner->zones.empty())
        compare_pool_field(path, loser, *winner, "zones", loser.zones, winner->zones);
    }
    for (const WorkerPool& winner : winners)
      if (std::ranges::find(losers, winner.name, &WorkerPool::name) == losers.end())
        warn(path, losers.front().place,
             fmt::format("worker pool {} is missing, but counts ({})", winner.name,
                         winner.place.to_string()));
  }

  /// Fills absent fields and compares the others.
  template <typename T>
  void add(Field<T>& ours, const Field<T>& theirs) {
    if (ours)
      compare(theirs, ours);
    else
      ours = theirs;
  }

 private:
  template <typename T>
  void compare_pool_field(const char* path, const WorkerPool& loser, const WorkerPool& winner,
                          std::string_view field, const T& lost, const T& won) {
    if (lost == won) return;
    warn(path, loser.place,
         fmt::format("the {} of worker pool {} is {}, but {} elsewhere ({}), which counts", field,
                     loser.name, text_of(lost), text_of(won), winner.place.to_string()));
  }

  void warn(std::string path, SourceLocation place, const std::string& message) {
    findings_->push_back(
        {.rule = "documents-disagree",
         .severity = Severity::Warning,
         .message = document::one_line(fmt::format("{}: {}", object_->qualified(), message)),
         .object = *object_,
         .path = std::move(path),
         .place = std::move(place),
         .hint = "give documents of one and the same time"});
  }

  const ObjectName* object_;
  Findings* findings_;
};

template <typename T>
void fill(Field<T>& ours, const Field<T>& theirs) {
  if (!ours) ours = theirs;
}

template <typename T>
void fill(std::vector<T>& ours, const std::vector<T>& theirs) {
  if (ours.empty()) ours = theirs;
}

void add_infrastructure(Infrastructure& ours, const Infrastructure& theirs, Joiner& joiner) {
  ObservedInfrastructure observed = ours.observed.network_id ? ours.observed : theirs.observed;
  if (!ours.configured) {
    ours = theirs;
  } else if (theirs.configured) {
    joiner.add(ours.network_id, theirs.network_id);
    joiner.add(ours.resource_group, theirs.resource_group);
    joiner.add(ours.network_cidr, theirs.network_cidr);
    joiner.add(ours.workers_cidr, theirs.workers_cidr);
    joiner.add(ours.mtu, theirs.mtu);
  }
  ours.observed = std::move(observed);
}

void add_shoot(ShootSpec& ours, const ShootSpec& theirs, Joiner& joiner) {
  joiner.add(ours.provider, theirs.provider);
  joiner.add(ours.region, theirs.region);
  joiner.add(ours.nodes, theirs.nodes);
  joiner.add(ours.node_cidr_mask_size, theirs.node_cidr_mask_size);
  joiner.add(ours.node_cidr_mask_size_ipv6, theirs.node_cidr_mask_size_ipv6);
  add_infrastructure(ours.infrastructure, theirs.infrastructure, joiner);
  fill(ours.control_plane.given, theirs.control_plane.given);
  fill(ours.control_plane.custom_route_controller, theirs.control_plane.custom_route_controller);
  fill(ours.control_plane.cloud_controller_manager, theirs.control_plane.cloud_controller_manager);
  fill(ours.control_plane.calico_cleanup_completed, theirs.control_plane.calico_cleanup_completed);
  fill(ours.workers, theirs.workers);
  fill(ours.confines_rollout, theirs.confines_rollout);
  fill(ours.seed_name, theirs.seed_name);
  fill(ours.cloud_profile, theirs.cloud_profile);
  fill(ours.technical_id, theirs.technical_id);
  fill(ours.status_seed_name, theirs.status_seed_name);
  fill(ours.hibernated, theirs.hibernated);
  fill(ours.constraints, theirs.constraints);
  fill(ours.advertised_addresses, theirs.advertised_addresses);
  fill(ours.status_pods, theirs.status_pods);
  fill(ours.status_services, theirs.status_services);
  fill(ours.status_nodes, theirs.status_nodes);
  fill(ours.status_egress, theirs.status_egress);
}

/// Overrides the Shoot's controlPlaneConfig with a ControlPlane, because the provider's extension
/// reads the ControlPlane.
void override_control_plane(ControlPlane& ours, const ControlPlane& theirs, Joiner& joiner) {
  joiner.compare(ours.custom_route_controller, theirs.custom_route_controller);
  joiner.compare(ours.cloud_controller_manager, theirs.cloud_controller_manager);
  ours = theirs;
}

Field<std::string> type_of(const PodNetworkSpec& spec) {
  return spec.type.value.empty() ? std::nullopt : Field<std::string>(spec.type);
}

/// Overrides the shoot's values with those of a Network: in the seed, the network extension reads
/// the Network. Where they differ, the overridden document gets a warning `documents-disagree` with
/// the other's location; the findings name `spec.object`.
void override_with(PodNetworkSpec& spec, const PodNetworkSpec& network, Findings& findings) {
  Joiner joiner(spec.object, findings);
  joiner.compare(type_of(spec), type_of(network));
  joiner.compare(spec.pods, network.pods);
  joiner.compare(spec.services, network.services);
  joiner.compare(spec.ip_families, network.ip_families);
  if (!spec.type.value.empty())
    joiner.compare_configs(spec.provider_config.root(), network.provider_config.root(),
                           fmt::format("the Network ({})", network.place.to_string()));
  spec.type = network.type;
  spec.provider_config = network.provider_config;
  if (network.pods) spec.pods = network.pods;
  if (network.services) spec.services = network.services;
  if (network.ip_families) spec.ip_families = network.ip_families;
  spec.status_ip_families = network.status_ip_families;
  spec.live = network.live;
}

/// Adds values of `other` that `spec` lacks; a ControlPlane's configuration replaces that of the
/// Shoot. From the Shoot that a Cluster embeds (`other` is a Shoot), adds only immutable fields and
/// those that Gardener defaults. Reports differences as override_with() does.
void fill_from(PodNetworkSpec& spec, const PodNetworkSpec& other, Findings& findings) {
  Joiner joiner(spec.object, findings);
  joiner.compare(type_of(other), type_of(spec));
  joiner.add(spec.pods, other.pods);
  joiner.add(spec.services, other.services);
  joiner.add(spec.ip_families, other.ip_families);
  const Value config = spec.provider_config.root();
  if (!config.exists())
    spec.provider_config = other.provider_config;
  else if (other.provider_config.root().exists())
    joiner.compare_configs(other.provider_config.root(), config,
                           fmt::format("the Shoot ({})", config.place().to_string()));
  if (spec.type.value.empty()) spec.type = other.type;
  fill(spec.live, other.live);
  if (other.object.kind == "ControlPlane")
    override_control_plane(spec.shoot.control_plane, other.shoot.control_plane, joiner);
  joiner.compare_pools(other.object.kind == "Worker" ? "spec.pools" : "spec.provider.workers",
                       other.shoot.workers, spec.shoot.workers);
  add_shoot(spec.shoot, other.shoot, joiner);
}

class JoinedShootDecoder {
 public:
  JoinedShootDecoder(const ShootDocuments& documents, Detail detail)
      : documents_(documents), detail_(detail) {}

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
      // Such an object has a finding already: its network type is not a string.
      if (object->is(Role::Shoot) || object->is(Role::Network)) continue;
      findings_.push_back(object->is(Role::Cluster) ? only_a_part(*object) : unneeded(*object));
    }
    return {std::nullopt, std::move(findings_)};
  }

  /// Whether the object has no finding yet: it was used for a spec that does not exist.
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
  return JoinedShootDecoder(documents, detail).decode(garden);
}

}  // namespace overlane::manifest
