#include "topologies/manifest/documents/join.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/tree/text_check.h"
#include "topologies/manifest/spec/network_config.h"

namespace overlane::manifest {
namespace {

using document::Value;

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

/// The fields of `less` with another value in `more`, except apiVersion and kind.
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

  /// The same for two providerConfigs, one of which may be absent. Additional fields of the winner
  /// are no difference: admission adds fields.
  void compare_configs(const Value& loser, const Value& winner, const std::string& winner_name) {
    const auto keys = differing(winner, loser);
    if (keys.empty()) return;
    warn(loser.path(), loser.place(),
         fmt::format("{} differs in {} from that of {}, which counts", loser.path(),
                     fmt::join(keys, ", "), winner_name));
  }

  /// The same for the pools of two documents; `path` is that of the losers.
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

/// The provider's extension reads the ControlPlane, not the Shoot.
void override_control_plane(ControlPlane& ours, const ControlPlane& theirs, Joiner& joiner) {
  joiner.compare(ours.custom_route_controller, theirs.custom_route_controller);
  joiner.compare(ours.cloud_controller_manager, theirs.cloud_controller_manager);
  ours = theirs;
}

Field<std::string> type_of(const PodNetworkSpec& spec) {
  return spec.type.value.empty() ? std::nullopt : Field<std::string>(spec.type);
}

}  // namespace

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

}  // namespace overlane::manifest
