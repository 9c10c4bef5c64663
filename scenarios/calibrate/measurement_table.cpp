#include "scenarios/calibrate/measurement_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "scenarios/calibrate/two_hosts.h"
#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"

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
bool same_load(const MeasurementRow& a, const MeasurementRow& b) {
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

namespace {

using model::TrafficKind;

constexpr std::uint32_t kMaxFlows = 10'000;
constexpr std::uint32_t kMaxMessage = 1'000'000;
constexpr double kPerPercent = 0.01;

constexpr std::array kRowKinds = {
    Word<TrafficKind>{"udp", TrafficKind::Udp}, Word<TrafficKind>{"tcp", TrafficKind::Tcp},
    Word<TrafficKind>{"request-response", TrafficKind::RequestResponse}};

/// Reads a row's figures. The key shows the form in which a figure was published.
class FigureReader {
 public:
  FigureReader(Fields& fields, MeasurementRow& row) : fields_(fields), row_(row) {}

  void rate(std::string_view key, double times) {
    const auto rate = spec::rate(fields_, key);
    if (rate) add(key, Quantity::Throughput, static_cast<double>(rate->count) * times);
  }
  void number(std::string_view key, Quantity quantity, double times) {
    if (const auto value = positive(fields_, key)) add(key, quantity, *value * times);
  }
  /// A round-trip time. Each flow has one transaction at a time.
  void round_trip(std::string_view key) {
    const auto time = above_zero(key);
    if (time)
      add(key, Quantity::Transactions, row_.flows * 1e12 / static_cast<double>(time->count));
  }
  void cpu_time(std::string_view key, Quantity quantity) {
    const auto time = above_zero(key);
    if (time) add(key, quantity, static_cast<double>(time->count) / 1000);
  }

 private:
  std::optional<Picos> above_zero(std::string_view key) {
    const auto time = spec::duration(fields_, key);
    if (!time || time->count > 0) return time;
    fields_.problems().error(fields_.value()[key], "out-of-range", fmt::format("{} is zero", key));
    return std::nullopt;
  }
  void add(std::string_view key, Quantity quantity, double value) {
    if (std::ranges::find(row_.figures, quantity, &Figure::quantity) != row_.figures.end()) {
      fields_.problems().error(fields_.value()[key], "duplicate-figure",
                               fmt::format("the row says its {} twice", to_string(quantity)),
                               "give each figure in one form only");
    }
    row_.figures.push_back({quantity, value});
  }

  Fields& fields_;
  MeasurementRow& row_;
};

void decode_udp(Fields& fields, MeasurementRow& row, FigureReader& figures) {
  if (row.use != Use::LeftOut) demand(fields, "payloadBytes", "unless the row is left out");
  row.payload_bytes = spec::datagram_payload(fields, "payloadBytes").value_or(0);
  row.rate = spec::rate(fields, "rate");
  figures.rate("throughput", 1);
  figures.rate("throughputPerFlow", row.flows);
  figures.number("datagramsPerSecond", Quantity::Throughput, 8.0 * row.payload_bytes);
}

void decode_tcp(FigureReader& figures, const MeasurementRow& row) {
  figures.rate("throughput", 1);
  figures.rate("throughputPerFlow", row.flows);
}

void decode_request_response(Fields& fields, MeasurementRow& row, FigureReader& figures) {
  row.request_bytes = spec::count_between(fields, "requestBytes", 1, kMaxMessage).value_or(1);
  row.response_bytes = spec::count_between(fields, "responseBytes", 1, kMaxMessage).value_or(1);
  row.over_udp = fields.one_of("protocol", {"tcp", "udp"}) == "udp";
  row.connection_per_request =
      fields.one_of("connections", {"keep-alive", "per-request"}) == "per-request";
  if (row.over_udp && row.connection_per_request) {
    fields.problems().error(fields.value()["connections"], "bad-value",
                            "datagrams have no connections", "remove it, or set protocol: tcp");
  }
  figures.number("transactionsPerSecond", Quantity::Transactions, 1);
  figures.number("transactionsPerSecondPerFlow", Quantity::Transactions, row.flows);
  figures.round_trip("roundTrip");
  figures.cpu_time("clientCpuPerTransaction", Quantity::ClientCpu);
  figures.cpu_time("serverCpuPerTransaction", Quantity::ServerCpu);
}

void decode_figures(Fields& fields, MeasurementRow& row, TrafficKind kind,
                    const MeasurementTable& table) {
  FigureReader figures(fields, row);
  switch (kind) {
    case TrafficKind::Udp:
      decode_udp(fields, row, figures);
      break;
    case TrafficKind::Tcp:
      decode_tcp(figures, row);
      break;
    case TrafficKind::RequestResponse:
      decode_request_response(fields, row, figures);
      break;
  }
  figures.number("clientCpuPercent", Quantity::ClientLoad, kPerPercent);
  figures.number("serverCpuPercent", Quantity::ServerLoad, kPerPercent);
  row.spread = spread(fields).value_or(table.spread);
  if (row.figures.empty()) {
    fields.problems().error(fields.value(), "no-figure", "the row says nothing that was measured");
  }
}

void decode_use(Fields& fields, MeasurementRow& row) {
  fields.required("use");
  row.use = spec::word(fields, "use", kUses).value_or(Use::Fit);
  if (row.use == Use::LeftOut) demand(fields, "because", "to say why the row is left out");
  row.because = fields.string("because").value_or("");
}

MeasurementRow decode_row(Fields& fields, const MeasurementTable& table) {
  MeasurementRow row;
  row.place = fields.value().place();
  row.system = position_of(fields, "system", table.systems);
  row.kernel = fields.string("kernel").value_or(table.hosts.kernel);
  fields.required("kind");
  const auto kind = spec::word(fields, "kind", kRowKinds);
  row.flows = spec::count_between(fields, "flows", 1, kMaxFlows).value_or(1);
  row.pod_mtu = spec::mtu(fields, "podMtu");
  row.link_mtu = spec::mtu(fields, "linkMtu");
  row.offloads = decode_offloads(fields);
  decode_use(fields, row);
  if (!kind) return row;  // The other fields depend on the kind.
  row.kind = *kind;
  decode_figures(fields, row, *kind, table);
  fields.no_others();
  return row;
}

}  // namespace

std::vector<MeasurementRow> decode_rows(Fields& spec, const MeasurementTable& table) {
  std::vector<MeasurementRow> rows;
  spec.required("rows");
  for (const Value item : spec.list("rows")) {
    Fields fields(item, spec.problems());
    rows.push_back(decode_row(fields, table));
  }
  return rows;
}

std::vector<spec::OffloadSwitch> decode_offloads(Fields& fields) {
  Fields offloads = fields.fields("offloads");
  return spec::decode_offloads(offloads);
}

std::optional<double> spread(Fields& fields) {
  const auto percent = positive(fields, "spreadPercent");
  if (!percent) return std::nullopt;
  return *percent * kPerPercent;
}

void demand(Fields& fields, std::string_view key, std::string_view because) {
  if (!fields.value() || fields.value()[key]) return;
  fields.problems().error(fields.value(), "incomplete",
                          fmt::format("{} is missing; it is needed {}", key, because));
}

std::optional<double> positive(Fields& fields, std::string_view key) {
  const auto value = fields.number(key);
  if (!value || *value > 0) return value;
  fields.problems().error(fields.value()[key], "out-of-range",
                          fmt::format("{} is {}; it must be above 0", key, *value));
  return std::nullopt;
}

std::size_t position_of(Fields& fields, std::string_view key, const std::vector<System>& systems) {
  fields.required(key);
  const auto name = fields.string(key);
  if (!name) return 0;
  const auto found = std::ranges::find(systems, *name, &System::name);
  if (found != systems.end()) return static_cast<std::size_t>(found - systems.begin());
  fields.problems().error(fields.value()[key], "unknown-system",
                          fmt::format("\"{}\" is none of the table's systems", *name),
                          "name one of spec.systems");
  return 0;
}

}  // namespace overlane::calibrate
