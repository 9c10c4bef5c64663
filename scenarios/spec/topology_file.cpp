#include "scenarios/spec/topology_file.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::spec {

namespace {

using document::FieldKey;
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
  std::string_view meaning;  ///< The description of the field.
};
constexpr std::array kWires = {Word<cost::Wire>{"nic", cost::Wire::Nic},
                               Word<cost::Wire>{"veth", cost::Wire::Veth},
                               Word<cost::Wire>{"virtio", cost::Wire::Virtio}};

constexpr std::array kTunnelRss = {Word<host::TunnelRss>{"outer", host::TunnelRss::Outer},
                                   Word<host::TunnelRss>{"inner", host::TunnelRss::Inner}};

constexpr std::array kOffloads = {
    NamedOffload{"generic-segmentation-offload", &cost::Offloads::gso,
                 "TCP hands up to 64 KiB down the stack as one buffer."},
    NamedOffload{"tcp-segmentation-offload", &cost::Offloads::tso, "The NIC cuts such buffers."},
    NamedOffload{"tx-ipxip4-segmentation", &cost::Offloads::ipxip4_segmentation,
                 "It does so inside IP-in-IP."},
    NamedOffload{"tx-udp_tnl-segmentation", &cost::Offloads::udp_tnl_segmentation,
                 "It does so inside VXLAN and Geneve."},
    NamedOffload{"tunnel-tx-checksum-ip-generic", &cost::Offloads::tunnel_checksum,
                 "tx-checksum-ip-generic of the VXLAN or Geneve device: without it, each packet is "
                 "summed and cut before it is encapsulated."},
    NamedOffload{"generic-receive-offload", &cost::Offloads::gro,
                 "A poll merges what it finds of one stream."},
    NamedOffload{
        "zero-checksum-gro", &cost::Offloads::zero_checksum_gro,
        "It does so inside VXLAN and Geneve with a virtio NIC, too: Linux 5.12, and stable "
        "kernels of March 2021."},
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

std::vector<OffloadSwitch> decode_offloads(Fields& offloads, std::string_view meaning) {
  std::vector<OffloadSwitch> switches;
  for (const NamedOffload& offload : kOffloads)
    if (const auto on =
            offloads.boolean(FieldKey(offload.name, meaning.empty() ? offload.meaning : meaning)))
      switches.push_back({offload.which, *on});
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

std::optional<cost::Wire> decode_wire(Fields& fields, const FieldKey& key) {
  return word(fields, key, kWires);
}

std::string_view to_string(cost::Wire wire) {
  return word_for(wire, kWires);
}

MachineSpec decode_machine(Fields& machine, cost::Wire wire) {
  MachineSpec spec;
  for (const char* key : {"nic", "queues", "receiveRing", "interruptGap", "udp4Rss", "ipipRss",
                          "udpTunnelRss", "bandwidth", "packets", "adaptiveRx"}) {
    const document::Value value = machine.value()[key];
    if (wire == cost::Wire::Veth && value.exists())
      machine.problems().error(value, "bad-value",
                               fmt::format("{} is a NIC's, and veth pairs join these nodes", key),
                               "remove it, or set wire: nic");
  }
  spec.cores = count_between(
      machine, FieldKey("cores", "CPUs as Linux counts them: hardware threads."), 1, kMaxCores);
  spec.threads_per_core = count_between(
      machine,
      FieldKey("threadsPerCore", "Hardware threads that share a core, 1 (the default) or 2."), 1,
      2);
  if (spec.threads_per_core == 2u && spec.cores && *spec.cores % 2 != 0) {
    machine.problems().error(machine.value()["cores"], "out-of-range",
                             "cores, which are hardware threads, are odd in number",
                             "with threadsPerCore: 2 there is an even number of them");
  }
  spec.nic = rate(machine, FieldKey("nic", "Speed of the network interface."));
  if (spec.nic && *spec.nic < kSlowestNic) {
    machine.problems().error(machine.value()["nic"], "out-of-range", "nic is below 1 Mbit/s");
  }
  spec.queues = count_between(machine,
                              FieldKey("queues",
                                       "Receive queues of the NIC, the first cores' (ethtool -l); "
                                       "with wire virtio 1 by default, else one for each core."),
                              1, kMaxCores);
  spec.receive_ring = count_between(
      machine,
      FieldKey("receiveRing",
               "Packets that one receive queue of the NIC holds (ethtool -g); 1024 by default."),
      1, kMaxRing);
  spec.interrupt_gap = duration(
      machine,
      FieldKey("interruptGap",
               "Between two interrupts of one queue at least (ethtool -c); 8us by default."));
  const auto rss = machine.one_of(FieldKey("udp4Rss",
                                           "What the NIC hashes of UDP packets: addresses and "
                                           "ports (4tuple, the default), or addresses only."),
                                  {"4tuple", "2tuple"});
  if (rss) spec.udp_rss = *rss == "2tuple" ? host::UdpRss::TwoTuple : host::UdpRss::FourTuple;
  spec.ipip_rss =
      word(machine,
           FieldKey("ipipRss",
                    "The header that the NIC hashes of packets in IP in IP: outer, whose addresses "
                    "are all that it has, or inner; the provider's usual NIC's by default."),
           kTunnelRss);
  spec.udp_tunnel_rss =
      word(machine,
           FieldKey("udpTunnelRss",
                    "The same for packets in VXLAN and Geneve, whose outer source port is a hash "
                    "of the inner flow."),
           kTunnelRss);
  spec.rps = machine.boolean(
      FieldKey("rps", "Receive packet steering over all cores (rps_cpus); false by default."));
  Fields offloads = machine.fields(FieldKey("offloads",
                                            "What the NIC and its driver do, as ethtool -k names "
                                            "it; the provider's usual NIC's by default."));
  spec.regimes = decode_regimes(machine, offloads);
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
  document::Fields fields(
      vpc.mapping(FieldKey(
          "racks", "A leaf-spine fabric: nodes stand in racks, which share links to spines.")),
      vpc.problems());
  for (const char* key : {"nodesPerRack", "spines", "uplink"})
    fields.required(key);
  const auto nodes = count_between(
      fields,
      FieldKey("nodesPerRack",
               "How many nodes share a leaf; racks are filled in order and never span zones."),
      1, kMaxNodesPerRack);
  const auto spines = count_between(fields, FieldKey("spines", "How many spines each zone has."), 1,
                                    fabric::Racks::kMaxSpines);
  const auto uplink = rate(
      fields, FieldKey("uplink", "The rate of each link between a leaf and a spine, both ways."));
  if (uplink && *uplink < kSlowestUplink) {
    fields.problems().error(fields.value()["uplink"], "out-of-range", "uplink is below 1 Mbit/s");
  }
  const auto queue = count_between(
      fields, FieldKey("queue", "Packets that wait for each of them; 1000 by default."), 1,
      kMaxQueue);
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
    const auto target = word(
        fields,
        FieldKey("leadsTo",
                 "instance: one of another owner (the default); blackhole: its target is gone."),
        kForeignTargets);
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
  vpc.name = fields.string(FieldKey("name", "The name that shoots refer to.")).value_or("");
  vpc.provider =
      fields.string(FieldKey("provider", "aws, gcp, azure, openstack, alicloud, metal, local …"));
  vpc.mtu = mtu(fields, FieldKey("mtu", "The largest IP packet of a link, in bytes."));
  vpc.zones =
      fields.strings(FieldKey("zones", "The zones that nodes are spread over.", "A zone's name."));
  vpc.route_quota = count_between(
      fields, FieldKey("routeQuota", "How many routes a route table holds."), 1, kMaxRoutes);
  vpc.foreign_routes = decode_foreign_routes(
      fields.list(FieldKey("foreignRoutes",
                           "Routes of others in every table of the shoot's subnets: they count "
                           "against the quota, and attract packets to what they cover.",
                           "One route.")),
      problems);
  Fields latency =
      fields.fields(FieldKey("latency", "How long a packet is on its way through the fabric."));
  vpc.latency_within_zone = duration(latency, FieldKey("withinZone", "One way within a zone."));
  vpc.latency_across_zones =
      duration(latency, FieldKey("acrossZones", "One way between two zones."));
  vpc.latency_jitter = duration(
      latency, FieldKey("jitter",
                        "The longest random delay of a packet besides, uniform from 0; packets "
                        "between two nodes keep their order."));
  latency.no_others();
  vpc.single_flow = rate_or_none(
      fields, FieldKey("singleFlowCap",
                       "What the cloud lets one flow have, or none; on AWS 5Gbit/s by default."));
  vpc.fabric = decode_fabric(
      fields,
      FieldKey("pathMtu",
               "What the paths between nodes carry where that is less than the links' MTU."),
      FieldKey("deny", "What a packet filter between the nodes drops, by the outermost header.",
               "Packets that are dropped, whichever way they go."));
  vpc.racks = decode_racks(fields);
  fields.no_others();
  return vpc;
}

ShootSpec decode_shoot(const Value& value, const VpcSpec& vpc, document::Problems& problems) {
  Fields fields(value, problems);
  ShootSpec shoot;
  shoot.place = value.place();
  fields.required("manifest");
  shoot.manifest = fields
                       .string(FieldKey("manifest",
                                        "A file with the Shoot or Network, relative to this file, "
                                        "or the name of a Shoot of the library."))
                       .value_or("");
  shoot.shoot = fields.string(FieldKey("shoot", "namespace/name, when the manifest holds several."))
                    .value_or("");
  const auto home = fields.string(FieldKey("vpc", "The VPC that it is in."));
  if (home && *home != vpc.name) {
    problems.error(value["vpc"], "unknown-vpc",
                   fmt::format("VPC \"{}\" is not in this topology", *home),
                   fmt::format("write {}", vpc.name));
  }
  shoot.nodes = count_between(
      fields, FieldKey("nodes", "How many nodes; the sum of the workers' minimum by default."), 1,
      kMaxNodes);
  shoot.services = count_between(
      fields, FieldKey("services", "How many Services the cluster has; 100 by default."), 1,
      kMaxServices);
  shoot.pods_per_node = count_between(
      fields, FieldKey("podsPerNode", "How many pods each node has."), 1, kMaxPodsPerNode);
  shoot.wire = decode_wire(
      fields, FieldKey("wire",
                       "What joins the nodes: nic, veth for nodes that are network namespaces of "
                       "one machine, or virtio for virtual machines whose hypervisor serves their "
                       "queues; the provider's default by default."));
  if (shoot.wire == cost::Wire::Veth && (vpc.latency_within_zone || vpc.latency_across_zones ||
                                         vpc.latency_jitter || vpc.single_flow.rate || vpc.racks)) {
    problems.error(
        value["wire"], "bad-value",
        "latency, singleFlowCap and racks are a fabric's, and veth pairs join these nodes",
        "remove them from the VPC, or set wire: nic");
  }
  shoot.kernel =
      fields
          .string(FieldKey(
              "kernel",
              "The nodes' kernel, by a name of the cost profile; the profile's own by default."))
          .value_or("");
  shoot.kernel_place = fields.value()["kernel"].place();
  Fields machine = fields.fields(
      FieldKey("machine", "What each node has; with wire veth, what all of them share."));
  shoot.machine = decode_machine(machine, shoot.wire.value_or(cost::Wire::Nic));
  fields.no_others();
  return shoot;
}

/// The only entry of a list. More entries are an error, since they are not supported yet.
Value only_entry(Fields& spec, const FieldKey& key) {
  spec.required(key);
  const Value list = spec.list(key);
  if (list.size() == 1) return *list.begin();
  if (list) {
    spec.problems().error(
        list, "unsupported-topology",
        fmt::format("{} has {} entries; exactly one is supported", key.name, list.size()));
  }
  return {};
}

}  // namespace

TopologyFile decode_topology(Fields& root) {
  TopologyFile topology;
  topology.name = document::decode_header(root, "Topology");
  topology.file = root.value().place().file;
  root.required("spec");
  Fields spec =
      root.fields(FieldKey("spec", "What exists; what is left out keeps the provider's default."));
  root.no_others();
  if (const Value vpc = only_entry(spec, FieldKey("vpcs", "Exactly one VPC.", "A VPC.")))
    topology.vpc = decode_vpc(vpc, root.problems());
  if (const Value shoot =
          only_entry(spec, FieldKey("shoots", "Exactly one shoot.", "A shoot in a VPC."))) {
    topology.shoot = decode_shoot(shoot, topology.vpc, root.problems());
  }
  for (RegimeStatement& statement : topology.shoot.machine.regimes)
    statement.object = {"Topology", "", topology.name};
  spec.no_others();
  return topology;
}

Result<TopologyFile, Findings> decode_topology(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_topology);
}

}  // namespace overlane::spec
