#include "scenarios/calibrate/measurement_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "scenarios/calibrate/decode_rows.h"
#include "scenarios/calibrate/two_hosts.h"
#include "scenarios/spec/ranges.h"
#include "scenarios/spec/words.h"
#include "topologies/document/fields/header.h"

namespace overlane::calibrate {
namespace {

using document::Fields;
using document::Value;
using spec::Word;

constexpr std::array kEncapsulationWords = {Word<Encapsulation>{"none", Encapsulation::None},
                                            Word<Encapsulation>{"ipip", Encapsulation::Ipip},
                                            Word<Encapsulation>{"vxlan", Encapsulation::Vxlan},
                                            Word<Encapsulation>{"geneve", Encapsulation::Geneve}};

spec::MachineSpec decode_machine(Fields machine, cost::Wire wire) {
  machine.required("cores");
  if (wire == cost::Wire::Nic) demand(machine, "nic", "where NICs connect the hosts");
  for (const std::string_view key : {"bandwidth", "packets"}) {
    if (const Value allowance = machine.value()[key]) {
      machine.problems().error(allowance, "unsupported-hosts",
                               "allowances of a cloud's instances are not calibrated");
    }
  }
  return spec::decode_machine(machine, wire);
}

Hosts decode_hosts(Fields fields) {
  Hosts hosts;
  fields.required("wire");
  hosts.wire = spec::decode_wire(fields).value_or(cost::Wire::Nic);
  fields.required("machine");
  hosts.machine = decode_machine(fields.fields("machine"), hosts.wire);
  fields.required("linkMtu");
  hosts.link_mtu = spec::mtu(fields, "linkMtu").value_or(hosts.link_mtu);
  hosts.latency = spec::duration(fields, "latency");
  fields.required("kernel");
  hosts.kernel = fields.string("kernel").value_or("");
  fields.no_others();
  return hosts;
}

System decode_system(Fields fields) {
  System system;
  fields.required("name");
  system.name = fields.string("name").value_or("");
  fields.required("family");
  system.family = fields.string("family").value_or("");
  fields.required("datapath");
  system.datapath = spec::word(fields, "datapath", kDatapaths).value_or(system.datapath);
  system.encapsulation =
      spec::word(fields, "encapsulation", kEncapsulationWords).value_or(Encapsulation::None);
  if (system.datapath == cost::Datapath::Host && system.encapsulation != Encapsulation::None) {
    fields.problems().error(fields.value()["encapsulation"], "bad-value",
                            "the host's own sockets send without encapsulation");
  }
  system.pod_mtu = spec::mtu(fields, "podMtu");
  system.offloads = decode_offloads(fields);
  fields.no_others();
  return system;
}

std::vector<System> decode_systems(Fields& spec) {
  std::vector<System> systems;
  spec.required("systems");
  for (const Value item : spec.list("systems")) {
    systems.push_back(decode_system(Fields(item, spec.problems())));
    const auto same = std::ranges::count(systems, systems.back().name, &System::name);
    if (item["name"] && same > 1) {
      spec.problems().error(item["name"], "duplicate-name",
                            fmt::format("system \"{}\" is there twice", systems.back().name));
    }
  }
  return systems;
}

std::vector<RatioBound> decode_ratios(Fields& spec, const std::vector<System>& systems) {
  std::vector<RatioBound> ratios;
  for (const Value item : spec.list("ratios")) {
    Fields fields(item, spec.problems());
    RatioBound ratio;
    ratio.system = position_of(fields, "system", systems);
    ratio.baseline = position_of(fields, "baseline", systems);
    fields.required("within");
    ratio.within = positive(fields, "within").value_or(0);
    fields.no_others();
    ratios.push_back(ratio);
  }
  return ratios;
}

/// Checks of rows that involve their system and the hosts.
void check_rows(Fields& spec, const MeasurementTable& table) {
  const Value rows = spec.value()["rows"];
  if (rows && table.rows.empty())
    spec.problems().error(rows, "no-rows", "the table has no rows", "list what was measured");
  if (table.systems.empty()) return;
  std::size_t i = 0;
  for (const Value item : rows) {
    if (i == table.rows.size()) break;  // `rows` is not a list, which was reported.
    const std::uint32_t mtu = pod_mtu(table, table.rows[i++]);
    if (mtu < kMinPodMtu) {
      spec.problems().error(item, "out-of-range",
                            fmt::format("the pods' MTU is {}; IPv4 needs {}", mtu, kMinPodMtu),
                            "give a larger linkMtu, or podMtu");
    }
  }
}

}  // namespace

MeasurementTable decode_table(Fields& root) {
  MeasurementTable table;
  table.name = document::decode_header(root, "MeasurementTable");
  root.required("spec");
  Fields spec = root.fields("spec");
  root.no_others();
  spec.required("description");
  table.description = spec.string("description").value_or("");
  spec.required("source");
  table.source = spec.string("source").value_or("");
  table.spread = spread(spec).value_or(0);
  spec.required("hosts");
  table.hosts = decode_hosts(spec.fields("hosts"));
  table.systems = decode_systems(spec);
  table.rows = decode_rows(spec, table);
  check_rows(spec, table);
  table.ratios = decode_ratios(spec, table.systems);
  spec.no_others();
  return table;
}

Result<MeasurementTable, Findings> decode_table(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_table);
}

namespace {

/// Whether two rows have the same load, on any system.
bool same_load(const Row& a, const Row& b) {
  return a.kernel == b.kernel && a.kind == b.kind && a.flows == b.flows &&
         a.request_bytes == b.request_bytes && a.response_bytes == b.response_bytes &&
         a.over_udp == b.over_udp && a.connection_per_request == b.connection_per_request &&
         a.payload_bytes == b.payload_bytes && a.link_mtu == b.link_mtu && a.offloads == b.offloads;
}

}  // namespace

std::vector<RatioRows> ratio_rows(const MeasurementTable& table) {
  std::vector<RatioRows> pairs;
  for (const RatioBound& bound : table.ratios)
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (std::size_t j = 0; j < table.rows.size(); ++j)
        if (table.rows[i].system == bound.system && table.rows[j].system == bound.baseline &&
            same_load(table.rows[i], table.rows[j]))
          pairs.push_back({i, j, bound.within});
  return pairs;
}

std::string_view to_string(Use use) {
  return spec::word_for(use, kUses);
}

namespace {

struct QuantityNames {
  Quantity quantity;
  std::string_view name;
  std::string_view json;
};
constexpr std::array<QuantityNames, kQuantities> kQuantityNames = {{
    {Quantity::Throughput, "throughput", "throughput_bps"},
    {Quantity::Transactions, "transactions", "transactions_per_second"},
    {Quantity::ClientCpu, "client CPU", "client_cpu_ns_per_transaction"},
    {Quantity::ServerCpu, "server CPU", "server_cpu_ns_per_transaction"},
    {Quantity::ClientLoad, "client load", "client_load"},
    {Quantity::ServerLoad, "server load", "server_load"},
}};

}  // namespace

std::string_view to_string(Quantity quantity) {
  return kQuantityNames[static_cast<std::size_t>(quantity)].name;
}

std::string_view json_name(Quantity quantity) {
  return kQuantityNames[static_cast<std::size_t>(quantity)].json;
}

}  // namespace overlane::calibrate
