#include "scenarios/spec/topology_file.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::spec {

namespace {

using document::Fields;

constexpr std::uint32_t kMaxCores = 1'024;
/// With a slower NIC, a full queue would take longer than a run.
constexpr BitsPerSecond kSlowestNic{1'000'000};
constexpr std::uint32_t kMaxRing = 65'536;
/// Far more than the largest instances have.
constexpr std::int64_t kMaxPackets = 1'000'000'000;

struct NamedOffload {
  std::string_view name;
  bool cost::Offloads::*which;
};
constexpr std::array kWires = {Word<cost::Wire>{"nic", cost::Wire::Nic},
                               Word<cost::Wire>{"veth", cost::Wire::Veth},
                               Word<cost::Wire>{"virtio", cost::Wire::Virtio}};

constexpr std::array kOffloads = {
    NamedOffload{"generic-segmentation-offload", &cost::Offloads::gso},
    NamedOffload{"tcp-segmentation-offload", &cost::Offloads::tso},
    NamedOffload{"tx-ipxip4-segmentation", &cost::Offloads::ipxip4_segmentation},
    NamedOffload{"tx-udp_tnl-segmentation", &cost::Offloads::udp_tnl_segmentation},
    NamedOffload{"generic-receive-offload", &cost::Offloads::gro},
};

std::optional<MachineSpec::Bandwidth> decode_bandwidth(Fields& machine) {
  Fields fields(machine.mapping("bandwidth"), machine.problems());
  fields.required("baseline");
  const auto baseline = rate(fields, "baseline");
  const auto burst = duration(fields, "burst");
  fields.no_others();
  if (!baseline) return std::nullopt;
  return MachineSpec::Bandwidth{*baseline, burst.value_or(Picos{})};
}

std::optional<fabric::PacketAllowance> decode_packets(Fields& machine) {
  Fields fields(machine.mapping("packets"), machine.problems());
  fields.required("perSecond");
  const auto per_second = integer_between(fields, "perSecond", 1, kMaxPackets);
  const auto burst = integer_between(fields, "burst", 1, kMaxPackets);
  fields.no_others();
  if (!per_second) return std::nullopt;
  return fabric::PacketAllowance{*per_second, burst.value_or(1)};
}

}  // namespace

std::vector<OffloadSwitch> decode_offloads(Fields& offloads) {
  std::vector<OffloadSwitch> switches;
  for (const NamedOffload& offload : kOffloads)
    if (const auto on = offloads.boolean(offload.name)) switches.push_back({offload.which, *on});
  offloads.no_others();
  return switches;
}

std::string_view name_of(const OffloadSwitch& offload) {
  return std::ranges::find(kOffloads, offload.which, &NamedOffload::which)->name;
}

void apply(const std::vector<OffloadSwitch>& switches, cost::Offloads& offloads) {
  for (const OffloadSwitch& offload : switches)
    offloads.*offload.which = offload.on;
}

std::optional<cost::Wire> decode_wire(Fields& fields) {
  return word(fields, "wire", kWires);
}

std::string_view to_string(cost::Wire wire) {
  return word_for(wire, kWires);
}

MachineSpec decode_machine(Fields& machine, cost::Wire wire) {
  MachineSpec spec;
  for (const char* key :
       {"nic", "queues", "receiveRing", "interruptGap", "udp4Rss", "bandwidth", "packets"}) {
    const document::Value value = machine.value()[key];
    if (wire == cost::Wire::Veth && value.exists())
      machine.problems().error(value, "bad-value",
                               fmt::format("{} is a NIC's, and veth pairs join these nodes", key),
                               "remove it, or set wire: nic");
  }
  spec.cores = count_between(machine, "cores", 1, kMaxCores);
  spec.threads_per_core = count_between(machine, "threadsPerCore", 1, 2);
  if (spec.threads_per_core == 2u && spec.cores && *spec.cores % 2 != 0) {
    machine.problems().error(machine.value()["cores"], "out-of-range",
                             "cores, which are hardware threads, are odd in number",
                             "with threadsPerCore: 2 there is an even number of them");
  }
  spec.nic = rate(machine, "nic");
  if (spec.nic && *spec.nic < kSlowestNic) {
    machine.problems().error(machine.value()["nic"], "out-of-range", "nic is below 1 Mbit/s");
  }
  spec.queues = count_between(machine, "queues", 1, kMaxCores);
  spec.receive_ring = count_between(machine, "receiveRing", 1, kMaxRing);
  spec.interrupt_gap = duration(machine, "interruptGap");
  const auto rss = machine.one_of("udp4Rss", {"4tuple", "2tuple"});
  if (rss) spec.udp_rss = *rss == "2tuple" ? host::UdpRss::TwoTuple : host::UdpRss::FourTuple;
  spec.rps = machine.boolean("rps");
  Fields offloads = machine.fields("offloads");
  spec.offloads = decode_offloads(offloads);
  spec.bandwidth = decode_bandwidth(machine);
  spec.packets = decode_packets(machine);
  machine.no_others();
  return spec;
}

namespace {

constexpr std::uint32_t kMaxNodesPerRack = 100'000;
constexpr std::uint32_t kMaxQueue = 1'000'000;
/// With a slower link, a full queue would take longer than a run.
constexpr BitsPerSecond kSlowestUplink{1'000'000};

}  // namespace

std::optional<RacksSpec> decode_racks(document::Fields& vpc) {
  document::Fields fields(vpc.mapping("racks"), vpc.problems());
  for (const char* key : {"nodesPerRack", "spines", "uplink"})
    fields.required(key);
  const auto nodes = count_between(fields, "nodesPerRack", 1, kMaxNodesPerRack);
  const auto spines = count_between(fields, "spines", 1, fabric::Racks::kMaxSpines);
  const auto uplink = rate(fields, "uplink");
  if (uplink && *uplink < kSlowestUplink) {
    fields.problems().error(fields.value()["uplink"], "out-of-range", "uplink is below 1 Mbit/s");
  }
  const auto queue = count_between(fields, "queue", 1, kMaxQueue);
  fields.no_others();
  if (!nodes || !spines || !uplink) return std::nullopt;
  RacksSpec spec{{.nodes_per_rack = *nodes, .spines = *spines, .uplink = *uplink},
                 queue.has_value(),
                 fields.value().place()};
  if (queue) spec.racks.queue_packets = *queue;
  return spec;
}

namespace {

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
