#include "scenarios/calibrate/measure_table.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "results/base/text.h"
#include "results/stats/estimate.h"
#include "scenarios/calibrate/files.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"
#include "scenarios/testbed/kernel_cluster.h"

namespace overlane::calibrate {
namespace {

using testbed::KernelCluster;

/// A row under measurement.
struct Station {
  std::size_t row = 0;
  Quantity quantity = Quantity::Throughput;
  run::TrafficGroup traffic;
  std::unique_ptr<KernelCluster> cluster;
  std::vector<double> values;  ///< Value of each slice.
};

void leave_out(MeasurementRow& row, const std::string& because) {
  row.use = Use::LeftOut;
  row.because = because;
}

/// The figure that is measured: rates only, since both hosts are this machine.
std::optional<Quantity> measured_quantity(const MeasurementRow& row) {
  for (const Figure& figure : row.figures)
    if (figure.quantity == Quantity::Throughput || figure.quantity == Quantity::Transactions)
      return figure.quantity;
  return std::nullopt;
}

double value_of(const model::TrafficResult& traffic, Quantity quantity,
                const kernel::FlowTimes& times) {
  return quantity == Quantity::Throughput
             ? static_cast<double>(traffic.goodput_bps)
             : static_cast<double>(traffic.transactions) /
                   std::chrono::duration<double>(times.counted).count();
}

/// The median distance of the values from `median`, as a share of `median`.
double spread_of(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  for (const double value : values)
    distances.push_back(std::abs(value - median) / median);
  return stats::median(std::move(distances));
}

/// "6.18" of "6.18.44-cloud-amd64": as tables name kernels.
std::string kernel_series(const std::string& release) {
  return release.substr(0, release.find_first_not_of("0123456789", release.find('.') + 1));
}

/// The table with the name, the processors and the kernel of this machine.
MeasurementTable of_this_machine(const MeasurementTable& plan, const std::string& kernel) {
  MeasurementTable table = plan;
  const std::time_t now = std::time(nullptr);
  table.name = "this-machine";
  table.description = fmt::format("two namespaces joined by a veth pair, kernel {}", kernel);
  table.source =
      fmt::format("measured by overlane calibrate --measure, {:%Y-%m-%d}", fmt::gmtime(now));
  table.hosts.machine.cores = testbed::processors();
  for (MeasurementRow& row : table.rows)
    if (row.kernel == plan.hosts.kernel) row.kernel = kernel;
  table.hosts.kernel = kernel;
  return table;
}

/// Makes the clusters of all rows that this kernel can measure.
Parsed<std::vector<Station>> make_stations(MeasurementTable& table, const kernel::Answer& able) {
  std::vector<Station> stations;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    MeasurementRow& row = table.rows[i];
    if (row.use == Use::LeftOut) continue;
    const auto quantity = measured_quantity(row);
    if (!quantity) {
      leave_out(row, "CPU figures of two hosts cannot be told apart on one machine");
      continue;
    }
    if (table.system_of(row).datapath == cost::Datapath::Host) {
      leave_out(row, "only pods are measured in namespaces, not the hosts' own sockets");
      continue;
    }
    auto hosts = make_two_hosts(table, row);
    if (!hosts) return fail(hosts.error());
    if (std::string reason = testbed::obstacle_to(hosts->network, able.abilities);
        !reason.empty()) {
      leave_out(row, reason);
      continue;
    }
    const Trial trial{&row, *std::move(hosts)};
    const kernel::DeviceOffloads offloads{
        .checksums = true,
        .segmentation = trial.hosts.network.machines.front().offloads.gso,
        .receive = false};
    Station station{.row = i,
                    .quantity = *quantity,
                    .traffic = traffic_of(trial),
                    .cluster = nullptr,
                    .values = {}};
    auto cluster = KernelCluster::make(trial.hosts.network, {station.traffic}, offloads);
    if (!cluster) return fail(cluster.error());
    station.cluster = *std::move(cluster);
    stations.push_back(std::move(station));
  }
  return stations;
}

std::string rate_in_text(double bps) {
  return bps >= 1e9 ? fmt::format("{:.3f}Gbit/s", bps / 1e9)
                    : fmt::format("{:.3f}Mbit/s", bps / 1e6);
}

std::string offloads_text(const std::vector<spec::OffloadSwitch>& offloads) {
  std::string text;
  for (const spec::OffloadSwitch& offload : offloads)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name_of(offload),
                        offload.on ? "on" : "off");
  return text.empty() ? "" : fmt::format(", offloads: {{{}}}", text);
}

std::string row_text(const MeasurementTable& table, const MeasurementRow& row) {
  std::string text =
      fmt::format("  - {{system: {}, kind: {}", yaml_quoted(table.system_of(row).name),
                  model::to_string(row.kind));
  if (row.kernel != table.hosts.kernel) text += ", kernel: " + yaml_quoted(row.kernel);
  if (row.flows != 1) text += fmt::format(", flows: {}", row.flows);
  if (row.kind == model::TrafficKind::RequestResponse) {
    if (row.over_udp) text += ", protocol: udp";
    if (row.connection_per_request) text += ", connections: per-request";
    text +=
        fmt::format(", requestBytes: {}, responseBytes: {}", row.request_bytes, row.response_bytes);
  }
  if (row.payload_bytes != 0) text += fmt::format(", payloadBytes: {}", row.payload_bytes);
  if (row.rate) text += ", rate: " + rate_in_text(static_cast<double>(row.rate->count));
  if (row.link_mtu) text += fmt::format(", linkMtu: {}", *row.link_mtu);
  if (row.pod_mtu) text += fmt::format(", podMtu: {}", *row.pod_mtu);
  text += offloads_text(row.offloads);
  if (row.spread != table.spread) text += fmt::format(", spreadPercent: {:.1f}", row.spread * 100);
  for (const Figure& figure : row.figures) {
    if (figure.quantity == Quantity::Throughput)
      text += ", throughput: " + rate_in_text(figure.value);
    if (figure.quantity == Quantity::Transactions)
      text += fmt::format(", transactionsPerSecond: {:.5g}", figure.value);
  }
  text += fmt::format(", use: {}", to_string(row.use));
  if (!row.because.empty()) text += ", because: " + yaml_quoted(row.because);
  return text + "}\n";
}

}  // namespace

Parsed<MeasurementTable> measure_table(const MeasurementTable& plan,
                                       const TableMeasurement& options) {
  if (plan.hosts.wire != cost::Wire::Veth)
    return fail(
        fmt::format("the hosts of table {} have NICs; only namespaces (wire: veth) can be "
                    "measured here",
                    plan.name));
  if (auto made = kernel::NetworkNamespace::make(); !made) return fail(made.error());
  const kernel::Answer able = kernel::answer({.probe = true});
  MeasurementTable table = of_this_machine(plan, kernel_series(able.kernel));
  auto stations = make_stations(table, able);
  if (!stations) return fail(stations.error());
  const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = options.stop != nullptr ? *options.stop : never;
  const kernel::FlowTimes times{.warm_up = std::chrono::milliseconds(200),
                                .counted = options.slice};
  // The first slice does not count: the machine was idle before, and its caches are cold.
  for (std::uint32_t slice = 0; slice <= options.slices; ++slice) {
    for (Station& station : *stations) {
      if (options.on_row) options.on_row(slice, station.row);
      const auto measured = station.cluster->carry({station.traffic}, times, stop);
      if (stop) return fail("interrupted");
      if (!measured) return fail(measured.error().message);
      if (slice > 0)
        station.values.push_back(value_of(measured->traffic.front(), station.quantity, times));
    }
  }
  for (const Station& station : *stations) {
    MeasurementRow& row = table.rows[station.row];
    const double median = stats::median(station.values);
    if (median <= 0) {
      leave_out(row, "nothing arrived");
      continue;
    }
    row.figures = {{station.quantity, median}};
    row.spread = std::max(0.001, spread_of(station.values, median));
  }
  return table;
}

std::string write_table(const MeasurementTable& table) {
  std::string text = fmt::format(
      "apiVersion: overlane.dev/v1alpha1\nkind: MeasurementTable\nmetadata: {{name: {}}}\nspec:\n"
      "  description: {}\n  source: {}\n  spreadPercent: {:.1f}\n  hosts:\n    wire: {}\n"
      "    machine: {{cores: {}}}\n    linkMtu: {}\n    kernel: {}\n",
      yaml_quoted(table.name), yaml_quoted(table.description), yaml_quoted(table.source),
      table.spread * 100, table.hosts.wire == cost::Wire::Veth ? "veth" : "nic",
      *table.hosts.machine.cores, table.hosts.link_mtu, yaml_quoted(table.hosts.kernel));
  if (table.hosts.latency)
    text += fmt::format("    latency: {}ns\n", table.hosts.latency->count / 1000);
  text += "  systems:\n";
  for (const System& system : table.systems) {
    text +=
        fmt::format("  - {{name: {}, family: {}, datapath: {}, encapsulation: {}",
                    yaml_quoted(system.name), yaml_quoted(system.family),
                    spec::word_for(system.datapath, kDatapaths), to_string(system.encapsulation));
    if (system.pod_mtu) text += fmt::format(", podMtu: {}", *system.pod_mtu);
    text += offloads_text(system.offloads) + "}\n";
  }
  text += "  rows:\n";
  for (const MeasurementRow& row : table.rows)
    text += row_text(table, row);
  if (!table.ratios.empty()) text += "  ratios:\n";
  for (const RatioBound& ratio : table.ratios)
    text += fmt::format("  - {{system: {}, baseline: {}, within: {:g}}}\n",
                        yaml_quoted(table.systems[ratio.system].name),
                        yaml_quoted(table.systems[ratio.baseline].name), ratio.within);
  return text;
}

}  // namespace overlane::calibrate
