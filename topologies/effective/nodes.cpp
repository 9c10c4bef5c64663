#include "topologies/effective/nodes.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::effective {

namespace {

using manifest::Infrastructure;

/// Largest number of cores that a run accepts (scenarios/spec/topology_file.cpp has the same
/// limit).
constexpr std::uint32_t kMaxCores = 1'024;

/// Whole cores of a Kubernetes quantity: "8" and "8000m" are 8. Nothing for other quantities.
std::optional<std::uint32_t> whole_cores(std::string_view quantity) {
  const bool is_milli = quantity.ends_with('m');
  if (is_milli) quantity.remove_suffix(1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(quantity.begin(), quantity.end(), number);
  if (error != std::errc{} || end != quantity.end()) return std::nullopt;
  if (is_milli && number % 1'000 != 0) return std::nullopt;
  const std::uint32_t cores = is_milli ? number / 1'000 : number;
  if (cores == 0 || cores > kMaxCores) return std::nullopt;
  return cores;
}

const manifest::WorkerPool* deciding_pool(const std::vector<manifest::WorkerPool>& pools) {
  const manifest::WorkerPool* deciding = nullptr;
  for (const manifest::WorkerPool& pool : pools)
    if (!pool.machine_type.empty() && (deciding == nullptr || pool.minimum > deciding->minimum))
      deciding = &pool;
  return deciding;
}

/// Sets the cores if the CloudProfile has the machine type.
void read_profile(const manifest::CloudProfileSpec& profile, NodeMachine& machine) {
  const auto type =
      std::ranges::find(profile.machine_types, machine.type, &manifest::MachineType::name);
  if (type == profile.machine_types.end() || !type->cpu) return;
  const auto cores = whole_cores(type->cpu->value);
  if (!cores) return;
  machine.cores = cores;
  machine.cores_by_profile = true;
  machine.cores_source =
      fmt::format("the {} {} says so: {}", profile.kind, profile.name, type->cpu->path);
}

std::optional<Ipv4Prefix> ipv4_of(const manifest::Field<IpPrefix>& range) {
  return range ? range->value.ipv4() : std::nullopt;
}

/// The nodes' subnets whose ranges an InfrastructureStatus gives. The statuses of AWS, GCP and
/// OpenStack have only ids of subnets.
std::vector<NodeSubnet> observed_subnets(const Infrastructure& infrastructure) {
  std::vector<NodeSubnet> subnets;
  for (const manifest::ObservedSubnet& subnet : infrastructure.observed.subnets) {
    const auto cidr = ipv4_of(subnet.cidr);
    if (cidr && subnet.purpose == manifest::kNodesPurpose) subnets.push_back({subnet.zone, *cidr});
  }
  return subnets;
}

std::vector<NodeSubnet> configured_subnets(const Infrastructure& infrastructure) {
  std::vector<NodeSubnet> subnets;
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (const auto workers = ipv4_of(zone.workers)) subnets.push_back({zone.name, *workers});
  if (const auto workers = ipv4_of(infrastructure.workers_cidr)) subnets.push_back({"", *workers});
  return subnets;
}

/// The IPv4 range of the nodes in the shoot's status, if there is exactly one.
std::vector<NodeSubnet> only_node_range(const manifest::ShootSpec& shoot) {
  std::vector<NodeSubnet> subnets;
  for (const auto& range : shoot.status_nodes)
    if (const auto ipv4 = range.value.ipv4()) subnets.push_back({"", *ipv4});
  if (subnets.size() != 1) subnets.clear();
  return subnets;
}

}  // namespace

std::string NodeMachine::published_in() const {
  if (!published) return "";
  return fmt::format("{}, {}", published->table->cloud, published->table->source.date());
}

NodeMachine node_machine(const manifest::PodNetworkSpec& spec, std::string_view provider) {
  NodeMachine machine;
  const manifest::WorkerPool* pool = deciding_pool(spec.shoot.workers);
  if (pool == nullptr) return machine;
  machine.type = pool->machine_type;
  machine.pool = pool->name;
  machine.place = pool->place;
  for (const manifest::WorkerPool& other : spec.shoot.workers)
    if (!other.machine_type.empty() && other.machine_type != machine.type &&
        std::ranges::find(machine.other_types, other.machine_type) == machine.other_types.end())
      machine.other_types.push_back(other.machine_type);
  machine.published = provider::find_machine_type(provider, machine.type);
  if (machine.published && machine.published->type.cores > 0) {
    machine.cores = machine.published->type.cores;
    machine.cores_source = std::string(machine.published->table->source.text());
  }
  if (spec.cloud_profile) read_profile(*spec.cloud_profile, machine);
  return machine;
}

std::string mbps_text(std::uint64_t mbps) {
  if (mbps < 1'000) return fmt::format("{} Mbit/s", mbps);
  return fmt::format("{:g} Gbit/s", static_cast<double>(mbps) / 1'000);
}

std::string describe_machine(const NodeMachine& machine) {
  std::vector<std::string> facts;
  if (machine.cores)
    facts.push_back(fmt::format("{} core{}", *machine.cores, *machine.cores == 1 ? "" : "s"));
  if (machine.published) {
    const provider::MachineType& type = machine.published->type;
    if (type.bursts()) {
      facts.push_back(mbps_text(type.baseline_mbps) + " sustained");
      facts.push_back(mbps_text(type.burst_mbps) + " in bursts");
    } else if (type.baseline_mbps > 0) {
      facts.push_back(mbps_text(type.baseline_mbps));
    }
  }
  return facts.empty() ? "its figures are not known" : fmt::format("{}", fmt::join(facts, ", "));
}

const NodeSubnet* NodeSubnets::find(std::string_view zone) const {
  const auto found = std::ranges::find(given, zone, &NodeSubnet::zone);
  return found == given.end() ? nullptr : &*found;
}

bool has_subnets_by_zone(const Infrastructure& infrastructure) {
  const auto has_zone = [](const manifest::ObservedSubnet& subnet) {
    return subnet.purpose == manifest::kNodesPurpose && !subnet.zone.empty();
  };
  return !infrastructure.zones.empty() ||
         std::ranges::any_of(infrastructure.observed.subnets, has_zone);
}

NodeSubnets node_subnets(const manifest::ShootSpec& shoot, const provider::Profile& provider) {
  const Infrastructure& infrastructure = shoot.infrastructure;
  NodeSubnets subnets{.by_zone = has_subnets_by_zone(infrastructure), .given = {}};
  const bool is_one = provider.node_subnets.is_one(subnets.by_zone);
  const auto take = [&](const std::vector<NodeSubnet>& known) {
    for (const NodeSubnet& subnet : known)
      if (subnet.zone.empty() == is_one && subnets.find(subnet.zone) == nullptr)
        subnets.given.push_back(subnet);
  };
  take(observed_subnets(infrastructure));
  take(configured_subnets(infrastructure));
  if (is_one) take(only_node_range(shoot));
  return subnets;
}

}  // namespace overlane::effective
