#include "scenarios/spec/topology_file.h"

#include <array>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"
#include "scenarios/spec/words.h"
#include "topologies/document/fields/header.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::spec {
namespace {

using document::Fields;
using document::Value;

constexpr std::uint32_t kMaxNodes = 100'000;
constexpr std::uint32_t kMaxServices = 100'000;
constexpr std::uint32_t kMaxPodsPerNode = 65'535;
constexpr std::uint32_t kMaxRoutes = 1'000'000;

enum class ForeignTarget : std::uint8_t { Instance, Blackhole };
constexpr std::array kForeignTargets = {Word<ForeignTarget>{"instance", ForeignTarget::Instance},
                                        Word<ForeignTarget>{"blackhole", ForeignTarget::Blackhole}};

std::vector<graph::ForeignRoute> decode_foreign_routes(const Value& list,
                                                       document::Problems& problems) {
  std::vector<graph::ForeignRoute> routes;
  for (const Value item : list) {
    Fields fields(item, problems);
    fields.required("destination");
    const auto destination = manifest::given_cidr(fields, "destination");
    const auto target = word(fields, "leadsTo", kForeignTargets);
    fields.no_others();
    if (destination) routes.push_back({destination->value, target == ForeignTarget::Blackhole});
  }
  return routes;
}

VpcSpec decode_vpc(const Value& value, document::Problems& problems) {
  Fields fields(value, problems);
  VpcSpec vpc;
  vpc.place = value.place();
  fields.required("name");
  vpc.name = fields.string("name").value_or("");
  vpc.provider = fields.string("provider");
  vpc.mtu = mtu(fields, "mtu");
  vpc.zones = fields.strings("zones");
  vpc.route_quota = count_between(fields, "routeQuota", 1, kMaxRoutes);
  vpc.foreign_routes = decode_foreign_routes(fields.list("foreignRoutes"), problems);
  Fields latency = fields.fields("latency");
  vpc.latency_within_zone = duration(latency, "withinZone");
  vpc.latency_across_zones = duration(latency, "acrossZones");
  latency.no_others();
  vpc.single_flow = rate_or_none(fields, "singleFlowCap");
  vpc.fabric = decode_fabric(fields);
  vpc.racks = decode_racks(fields);
  fields.no_others();
  return vpc;
}

ShootSpec decode_shoot(const Value& value, const VpcSpec& vpc, document::Problems& problems) {
  Fields fields(value, problems);
  ShootSpec shoot;
  shoot.place = value.place();
  fields.required("manifest");
  shoot.manifest = fields.string("manifest").value_or("");
  shoot.shoot = fields.string("shoot").value_or("");
  const auto home = fields.string("vpc");
  if (home && *home != vpc.name) {
    problems.error(value["vpc"], "unknown-vpc",
                   fmt::format("VPC \"{}\" is not in this topology", *home),
                   fmt::format("write {}", vpc.name));
  }
  shoot.nodes = count_between(fields, "nodes", 1, kMaxNodes);
  shoot.services = count_between(fields, "services", 1, kMaxServices);
  shoot.pods_per_node = count_between(fields, "podsPerNode", 1, kMaxPodsPerNode);
  shoot.wire = decode_wire(fields);
  if (shoot.wire == cost::Wire::Veth &&
      (vpc.latency_within_zone || vpc.latency_across_zones || vpc.single_flow.rate || vpc.racks)) {
    problems.error(
        value["wire"], "bad-value",
        "latency, singleFlowCap and racks are a fabric's, and veth pairs join these nodes",
        "remove them from the VPC, or set wire: nic");
  }
  shoot.kernel = fields.string("kernel").value_or("");
  shoot.kernel_place = fields.value()["kernel"].place();
  Fields machine = fields.fields("machine");
  shoot.machine = decode_machine(machine, shoot.wire.value_or(cost::Wire::Nic));
  fields.no_others();
  return shoot;
}

/// The only entry of a list; more entries are not supported yet.
Value only_entry(Fields& spec, std::string_view key) {
  spec.required(key);
  const Value list = spec.list(key);
  if (list.size() == 1) return *list.begin();
  if (list) {
    spec.problems().error(
        list, "unsupported-topology",
        fmt::format("{} has {} entries; exactly one is supported", key, list.size()));
  }
  return {};
}

}  // namespace

TopologyFile decode_topology(Fields& root) {
  TopologyFile topology;
  topology.name = document::decode_header(root, "Topology");
  topology.file = root.value().place().file;
  root.required("spec");
  Fields spec = root.fields("spec");
  root.no_others();
  if (const Value vpc = only_entry(spec, "vpcs")) topology.vpc = decode_vpc(vpc, root.problems());
  if (const Value shoot = only_entry(spec, "shoots")) {
    topology.shoot = decode_shoot(shoot, topology.vpc, root.problems());
  }
  spec.no_others();
  return topology;
}

Result<TopologyFile, Findings> decode_topology(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_topology);
}

}  // namespace overlane::spec
