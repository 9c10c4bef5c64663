#include "scenarios/calibrate/measurement_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "scenarios/calibrate/prediction.h"
#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"

namespace overlane::calibrate {

namespace {

using document::FieldKey;
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
  hosts.wire =
      spec::decode_wire(fields, FieldKey("wire",
                                         "What connects them: nic, veth for two namespaces of one "
                                         "kernel, or virtio for two virtual machines."))
          .value_or(cost::Wire::Nic);
  fields.required("machine");
  hosts.machine =
      decode_machine(fields.fields(FieldKey("machine", "What each node has.")), hosts.wire);
  fields.required("linkMtu");
  hosts.link_mtu =
      spec::mtu(fields, FieldKey("linkMtu", "The largest IP packet of the link, in bytes."))
          .value_or(hosts.link_mtu);
  hosts.latency = spec::duration(
      fields,
      FieldKey("latency", "One way through NICs and wire, where it is known; else it is fitted."));
  fields.required("kernel");
  hosts.kernel =
      fields.string(FieldKey("kernel", "Of rows that name none; what it costs is the profile."))
          .value_or("");
  fields.no_others();
  return hosts;
}

System decode_system(Fields fields) {
  System system;
  fields.required("name");
  system.name = fields.string(FieldKey("name", "What rows call it.")).value_or("");
  fields.required("family");
  system.family =
      fields
          .string(
              FieldKey("family", "The CNI: rows of one family and kernel are held to their order."))
          .value_or("");
  fields.required("datapath");
  system.datapath =
      spec::word(fields,
                 FieldKey("datapath",
                          "host: the hosts' own sockets; netfilter: veth, netfilter and routes of "
                          "the host; ebpf: programs past the host's stack."),
                 kDatapaths)
          .value_or(system.datapath);
  system.encapsulation =
      spec::word(fields, FieldKey("encapsulation", "none (the default), ipip, vxlan or geneve."),
                 kEncapsulationWords)
          .value_or(Encapsulation::None);
  if (system.datapath == cost::Datapath::Host && system.encapsulation != Encapsulation::None) {
    fields.problems().error(fields.value()["encapsulation"], "bad-value",
                            "the host's own sockets send without encapsulation");
  }
  system.pod_mtu = spec::mtu(
      fields, FieldKey("podMtu",
                       "MTU of the pods, in bytes; the link's less the encapsulation by default."));
  system.offloads =
      decode_offloads(fields, FieldKey("offloads", "Offloads that are other than the hosts'."));
  fields.no_others();
  return system;
}

std::vector<System> decode_systems(Fields& spec) {
  std::vector<System> systems;
  spec.required("systems");
  for (const Value item :
       spec.list(FieldKey("systems", "The pod networks that were measured.", "One of them."))) {
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
  for (const Value item :
       spec.list(FieldKey("ratios", "Ratios of two systems under one load that have to come out.",
                          "Of every load that both systems have a row for."))) {
    Fields fields(item, spec.problems());
    RatioBound ratio;
    ratio.system = position_of(
        fields, FieldKey("system", "Whose throughput, or round trip, is divided …"), systems);
    ratio.baseline = position_of(fields, FieldKey("baseline", "… by this system's."), systems);
    fields.required("within");
    ratio.within =
        positive(fields, FieldKey("within", "How far it may be from the ratio that was measured."))
            .value_or(0);
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
  Fields spec = root.fields(FieldKey("spec", "What was measured, on what."));
  root.no_others();
  spec.required("description");
  table.description =
      spec.string(FieldKey("description", "The hosts and the tools, in a sentence.")).value_or("");
  spec.required("source");
  table.source = spec.string(FieldKey("source", "Where the figures are published.")).value_or("");
  table.spread =
      spread(spec, FieldKey("spreadPercent",
                            "By how much repeated measurements differ; a row may say its own."))
          .value_or(0);
  spec.required("hosts");
  table.hosts = decode_hosts(
      spec.fields(FieldKey("hosts", "The two equal hosts that everything ran between.")));
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

bool have_equal_loads(const MeasurementRow& a, const MeasurementRow& b) {
  return a.kernel == b.kernel && a.kind == b.kind && a.flows == b.flows &&
         a.request_bytes == b.request_bytes && a.response_bytes == b.response_bytes &&
         a.over_udp == b.over_udp && a.connection_per_request == b.connection_per_request &&
         a.payload_bytes == b.payload_bytes && a.link_mtu == b.link_mtu && a.rate == b.rate &&
         a.offloads == b.offloads;
}

std::vector<RatioRows> ratio_rows(const MeasurementTable& table) {
  std::vector<RatioRows> pairs;
  for (const RatioBound& bound : table.ratios)
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (std::size_t j = 0; j < table.rows.size(); ++j)
        if (table.rows[i].system == bound.system && table.rows[j].system == bound.baseline &&
            have_equal_loads(table.rows[i], table.rows[j]))
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

  void rate(const FieldKey& key, double times) {
    const auto rate = spec::rate(fields_, key);
    if (rate) add(key, Quantity::Throughput, static_cast<double>(rate->count) * times);
  }
  void number(const FieldKey& key, Quantity quantity, double times) {
    if (const auto value = positive(fields_, key)) add(key, quantity, *value * times);
  }
  /// A round-trip time. Each flow has one transaction at a time.
  void round_trip(const FieldKey& key) {
    const auto time = above_zero(key);
    if (time)
      add(key, Quantity::Transactions, row_.flows * 1e12 / static_cast<double>(time->count));
  }
  void cpu_time(const FieldKey& key, Quantity quantity) {
    const auto time = above_zero(key);
    if (time) add(key, quantity, static_cast<double>(time->count) / 1000);
  }

 private:
  std::optional<Picos> above_zero(const FieldKey& key) {
    const auto time = spec::duration(fields_, key);
    if (!time || time->count > 0) return time;
    fields_.problems().error(fields_.value()[key.name], "out-of-range",
                             fmt::format("{} is zero", key.name));
    return std::nullopt;
  }
  void add(const FieldKey& key, Quantity quantity, double value) {
    if (std::ranges::find(row_.figures, quantity, &Figure::quantity) != row_.figures.end()) {
      fields_.problems().error(fields_.value()[key.name], "duplicate-figure",
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
  row.payload_bytes =
      spec::datagram_payload(fields, FieldKey("payloadBytes", "udp: payload of each datagram."))
          .value_or(0);
  row.rate = spec::rate(
      fields,
      FieldKey("rate",
               "udp: payload that each flow offers; without it, as much as the sender can."));
  figures.rate(FieldKey("throughput", "Payload that arrived, all flows together."), 1);
  figures.rate(FieldKey("throughputPerFlow", "The same of each flow, instead."), row.flows);
  figures.number(
      FieldKey("datagramsPerSecond", "udp: datagrams that arrived, all flows together, instead."),
      Quantity::Throughput, 8.0 * row.payload_bytes);
}

void decode_tcp(FigureReader& figures, const MeasurementRow& row) {
  figures.rate(FieldKey("throughput", "Payload that arrived, all flows together."), 1);
  figures.rate(FieldKey("throughputPerFlow", "The same of each flow, instead."), row.flows);
}

void decode_request_response(Fields& fields, MeasurementRow& row, FigureReader& figures) {
  row.request_bytes =
      spec::count_between(fields, FieldKey("requestBytes", "Payload of a request; 1 by default."),
                          1, kMaxMessage)
          .value_or(1);
  row.response_bytes =
      spec::count_between(fields, FieldKey("responseBytes", "Payload of a response; 1 by default."),
                          1, kMaxMessage)
          .value_or(1);
  row.over_udp =
      fields.one_of(
          FieldKey("protocol", "request-response: tcp (the default), or udp, as netperf UDP_RR."),
          {"tcp", "udp"}) == "udp";
  row.connection_per_request =
      fields.one_of(
          FieldKey(
              "connections",
              "request-response: keep-alive (the default), or per-request, as netperf TCP_CRR."),
          {"keep-alive", "per-request"}) == "per-request";
  if (row.over_udp && row.connection_per_request) {
    fields.problems().error(fields.value()["connections"], "bad-value",
                            "datagrams have no connections", "remove it, or set protocol: tcp");
  }
  figures.number(FieldKey("transactionsPerSecond", "All flows together."), Quantity::Transactions,
                 1);
  figures.number(FieldKey("transactionsPerSecondPerFlow", "The same of each flow, instead."),
                 Quantity::Transactions, row.flows);
  figures.round_trip(FieldKey("roundTrip", "Mean time from request to response, instead."));
  figures.cpu_time(FieldKey("clientCpuPerTransaction", "CPU time of the client's host."),
                   Quantity::ClientCpu);
  figures.cpu_time(FieldKey("serverCpuPerTransaction", "CPU time of the server's host."),
                   Quantity::ServerCpu);
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
  figures.number(
      FieldKey("clientCpuPercent",
               "Of all hardware threads of the client's or sender's host, while it ran."),
      Quantity::ClientLoad, kPerPercent);
  figures.number(FieldKey("serverCpuPercent", "The same of the server's or receiver's host."),
                 Quantity::ServerLoad, kPerPercent);
  row.spread =
      spread(fields, FieldKey("spreadPercent", "By how much repetitions of this row differ."))
          .value_or(table.spread);
  if (row.figures.empty()) {
    fields.problems().error(fields.value(), "no-figure", "the row says nothing that was measured");
  }
}

void decode_use(Fields& fields, MeasurementRow& row) {
  fields.required("use");
  row.use = spec::word(fields,
                       FieldKey("use",
                                "fit: constants are fitted to it; check: it is predicted with "
                                "them; left-out: neither."),
                       kUses)
                .value_or(Use::Fit);
  if (row.use == Use::LeftOut) demand(fields, "because", "to say why the row is left out");
  row.because =
      fields.string(FieldKey("because", "Why the row is left out, or what is odd about it."))
          .value_or("");
}

MeasurementRow decode_row(Fields& fields, const MeasurementTable& table) {
  MeasurementRow row;
  row.place = fields.value().place();
  row.system =
      position_of(fields, FieldKey("system", "One of the systems, by its name."), table.systems);
  row.kernel = fields.string(FieldKey("kernel", "The hosts' kernel, where it was another one."))
                   .value_or(table.hosts.kernel);
  fields.required("kind");
  const auto kind =
      spec::word(fields,
                 FieldKey("kind",
                          "tcp: bulk streams; udp: datagrams in one direction; request-response: "
                          "one request at a time on each lasting TCP connection."),
                 kRowKinds);
  row.flows = spec::count_between(fields, FieldKey("flows", "At the same time; 1 by default."), 1,
                                  kMaxFlows)
                  .value_or(1);
  row.pod_mtu = spec::mtu(fields, FieldKey("podMtu", "MTU of the pods for this row, in bytes."));
  row.link_mtu = spec::mtu(fields, FieldKey("linkMtu", "MTU of the link for this row, in bytes."));
  row.offloads =
      decode_offloads(fields, FieldKey("offloads", "Offloads that were switched for this row."));
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
  for (const Value item : spec.list(
           FieldKey("rows", "What was measured: a system under a load.", "One measurement."))) {
    Fields fields(item, spec.problems());
    rows.push_back(decode_row(fields, table));
  }
  return rows;
}

std::vector<spec::OffloadSwitch> decode_offloads(Fields& fields, const FieldKey& key) {
  Fields offloads = fields.fields(key);
  return spec::decode_offloads(offloads, "on or off");
}

std::optional<double> spread(Fields& fields, const FieldKey& key) {
  const auto percent = positive(fields, key);
  if (!percent) return std::nullopt;
  return *percent * kPerPercent;
}

void demand(Fields& fields, std::string_view key, std::string_view because) {
  if (!fields.value() || fields.value()[key]) return;
  fields.problems().error(fields.value(), "incomplete",
                          fmt::format("{} is missing; it is needed {}", key, because));
}

std::optional<double> positive(Fields& fields, const FieldKey& key) {
  const auto value = fields.number(key);
  if (!value || *value > 0) return value;
  fields.problems().error(fields.value()[key.name], "out-of-range",
                          fmt::format("{} is {}; it must be above 0", key.name, *value));
  return std::nullopt;
}

std::size_t position_of(Fields& fields, const FieldKey& key, const std::vector<System>& systems) {
  fields.required(key);
  const auto name = fields.string(key);
  if (!name) return 0;
  const auto found = std::ranges::find(systems, *name, &System::name);
  if (found != systems.end()) return static_cast<std::size_t>(found - systems.begin());
  fields.problems().error(fields.value()[key.name], "unknown-system",
                          fmt::format("\"{}\" is none of the table's systems", *name),
                          "name one of spec.systems");
  return 0;
}

}  // namespace overlane::calibrate
