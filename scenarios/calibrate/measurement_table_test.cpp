#include "scenarios/calibrate/measurement_table.h"

#include <string>

#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::calibrate {

namespace measurement_table_test {

constexpr const char* kHosts =
    "{wire: nic, machine: {cores: 8, nic: 10Gbit/s}, linkMtu: 1500, kernel: '5.4'}";
constexpr const char* kSystems =
    "[{name: a, family: x, datapath: host}, {name: b, family: x, datapath: netfilter}]";

document::Tree table(const std::string& hosts, const std::string& systems, const std::string& rows,
                     const std::string& ratios = "[]") {
  return document::parse(
             "apiVersion: overlane.dev/v1alpha1\n"
             "kind: MeasurementTable\n"
             "metadata: {name: t}\n"
             "spec:\n"
             "  description: d\n"
             "  source: s\n"
             "  spreadPercent: 3\n"
             "  hosts: " +
                 hosts +
                 "\n"
                 "  systems: " +
                 systems +
                 "\n"
                 "  rows: " +
                 rows +
                 "\n"
                 "  ratios: " +
                 ratios + "\n",
             "table.yaml")
      .documents.at(0);
}

/// The figures of a table's only row.
std::vector<Figure> figures(const std::string& row) {
  const auto decoded =
      decode_table(table(kHosts, kSystems, "[{system: a, use: fit, " + row + "}]"));
  EXPECT_TRUE(decoded) << decoded.error().front().to_string();
  return decoded ? decoded->rows.at(0).figures : std::vector<Figure>{};
}

struct OneFigure {
  const char* row;
  Quantity quantity;
  double value;
};

class FigureForm : public ::testing::TestWithParam<OneFigure> {};

TEST_P(FigureForm, IsConvertedToTheQuantitysUnit) {
  const auto found = figures(GetParam().row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].quantity, GetParam().quantity);
  EXPECT_NEAR(found[0].value, GetParam().value, GetParam().value * 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    MeasurementTable, FigureForm,
    ::testing::Values(
        OneFigure{"kind: tcp, flows: 4, throughput: 10Gbit/s", Quantity::Throughput, 10e9},
        OneFigure{"kind: tcp, flows: 4, throughputPerFlow: 10Gbit/s", Quantity::Throughput, 40e9},
        OneFigure{"kind: udp, payloadBytes: 100, datagramsPerSecond: 2000", Quantity::Throughput,
                  1.6e6},
        OneFigure{"kind: request-response, transactionsPerSecond: 30000", Quantity::Transactions,
                  30e3},
        OneFigure{"kind: request-response, flows: 8, transactionsPerSecondPerFlow: 1000",
                  Quantity::Transactions, 8e3},
        OneFigure{"kind: request-response, flows: 2, roundTrip: 50us", Quantity::Transactions,
                  40e3},
        OneFigure{"kind: request-response, clientCpuPerTransaction: 7us", Quantity::ClientCpu,
                  7000},
        OneFigure{"kind: tcp, serverCpuPercent: 12.5", Quantity::ServerLoad, 0.125}));

TEST(MeasurementTable, VirtualMachinesOfOneHypervisorHaveNoNicRate) {
  const auto decoded = decode_table(
      table("{wire: virtio, machine: {cores: 4, queues: 2}, linkMtu: 1500, kernel: '6.1'}",
            kSystems, "[{system: a, kind: tcp, throughput: 9Gbit/s, use: fit}]"));
  ASSERT_TRUE(decoded) << decoded.error().front().to_string();
  EXPECT_EQ(decoded->hosts.wire, cost::Wire::Virtio);
  EXPECT_EQ(decoded->hosts.machine.queues, 2u);
  EXPECT_EQ(decoded->hosts.machine.nic, std::nullopt);
}

TEST(MeasurementTable, ReadsHostsSystemsAndRows) {
  const auto decoded = decode_table(table(
      "{wire: nic, machine: {cores: 8, nic: 25Gbit/s, interruptGap: 20us}, linkMtu: 9000, "
      "latency: 3us, kernel: '5.4'}",
      "[{name: a, family: x, datapath: ebpf, encapsulation: vxlan, podMtu: 1450, offloads: "
      "{tx-udp_tnl-segmentation: off}}]",
      "[{system: a, kernel: '6.1', kind: tcp, throughput: 9Gbit/s, podMtu: 1400, linkMtu: 1500, "
      "offloads: {generic-receive-offload: off}, spreadPercent: 5, use: check}, "
      "{system: a, kind: udp, throughput: 1Gbit/s, use: left-out, because: no size}]"));
  ASSERT_TRUE(decoded) << decoded.error().front().to_string();
  EXPECT_EQ(decoded->hosts.machine.interrupt_gap, microseconds(20));
  EXPECT_EQ(decoded->hosts.latency, microseconds(3));
  EXPECT_EQ(decoded->systems[0].encapsulation, Encapsulation::Vxlan);
  EXPECT_EQ(decoded->systems[0].datapath, cost::Datapath::Ebpf);
  const MeasurementRow& row = decoded->rows[0];
  EXPECT_EQ(row.kernel, "6.1");
  EXPECT_EQ(row.pod_mtu, 1400u);
  EXPECT_EQ(row.link_mtu, 1500u);
  EXPECT_EQ(row.offloads, (std::vector<spec::OffloadSwitch>{{&cost::Offloads::gro, false}}));
  EXPECT_DOUBLE_EQ(row.spread, 0.05);
  EXPECT_EQ(row.use, Use::Check);
  EXPECT_EQ(decoded->rows[1].kernel, "5.4") << "the hosts'";
  EXPECT_DOUBLE_EQ(decoded->rows[1].spread, 0.03) << "the table's";
  EXPECT_EQ(decoded->rows[1].because, "no size");
}

TEST(MeasurementTable, RequestsHaveAProtocolAndConnections) {
  const auto decoded = decode_table(
      table(kHosts, kSystems,
            "[{system: a, kind: request-response, protocol: udp, roundTrip: 9us, use: fit}, "
            "{system: a, kind: request-response, connections: per-request, roundTrip: 9us, "
            "use: fit}]"));
  ASSERT_TRUE(decoded) << decoded.error().front().to_string();
  EXPECT_TRUE(decoded->rows[0].over_udp);
  EXPECT_FALSE(decoded->rows[0].connection_per_request);
  EXPECT_TRUE(decoded->rows[1].connection_per_request);
}

TEST(MeasurementTable, RatiosRequireRowsOfOneLoad) {
  const std::string fit = ", use: fit}";
  const auto decoded =
      decode_table(table(kHosts, kSystems,
                         "[{system: a, kind: tcp, throughput: 9Gbit/s" + fit +
                             ", {system: b, kind: tcp, throughput: 8Gbit/s" + fit +
                             ", {system: b, kind: tcp, flows: 2, throughput: 8Gbit/s" + fit + "]",
                         "[{system: b, baseline: a, within: 0.05}]"));
  ASSERT_TRUE(decoded) << decoded.error().front().to_string();
  const auto pairs = ratio_rows(*decoded);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].row, 1u);
  EXPECT_EQ(pairs[0].baseline, 0u);
}

struct BadTable {
  const char* hosts;
  const char* systems;
  const char* row;
  const char* rule;
};

class BadMeasurementTable : public ::testing::TestWithParam<BadTable> {};

TEST_P(BadMeasurementTable, IsRejected) {
  const BadTable& bad = GetParam();
  const auto decoded =
      decode_table(table(bad.hosts, bad.systems, std::string("[") + bad.row + "]"));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().front().rule, bad.rule) << decoded.error().front().to_string();
  EXPECT_EQ(decoded.error().size(), 1u);
}

constexpr const char* kRow = "{system: a, kind: tcp, throughput: 9Gbit/s, use: fit}";

INSTANTIATE_TEST_SUITE_P(
    MeasurementTable, BadMeasurementTable,
    ::testing::Values(
        BadTable{"{machine: {cores: 8, nic: 10Gbit/s}, linkMtu: 1500, kernel: k}", kSystems, kRow,
                 "missing-key"},
        BadTable{"{wire: nic, machine: {cores: 8}, linkMtu: 1500, kernel: k}", kSystems, kRow,
                 "incomplete"},
        BadTable{"{wire: nic, machine: {cores: 8, nic: 10Gbit/s, packets: {perSecond: 9}}, "
                 "linkMtu: 1500, kernel: k}",
                 kSystems, kRow, "unsupported-hosts"},
        BadTable{kHosts, "[{name: a, family: x, datapath: host, encapsulation: vxlan}]", kRow,
                 "bad-value"},
        BadTable{kHosts,
                 "[{name: a, family: x, datapath: host}, {name: a, family: x, datapath: host}]",
                 kRow, "duplicate-name"},
        BadTable{kHosts, kSystems, "{system: c, kind: tcp, throughput: 9Gbit/s, use: fit}",
                 "unknown-system"},
        BadTable{kHosts, kSystems, "{system: a, kind: tcp, use: fit}", "no-figure"},
        BadTable{
            kHosts, kSystems,
            "{system: a, kind: tcp, throughput: 9Gbit/s, throughputPerFlow: 9Gbit/s, use: fit}",
            "duplicate-figure"},
        BadTable{kHosts, kSystems, "{system: a, kind: udp, throughput: 9Gbit/s, use: fit}",
                 "incomplete"},
        BadTable{kHosts, kSystems, "{system: a, kind: tcp, throughput: 9Gbit/s, use: left-out}",
                 "incomplete"},
        BadTable{kHosts, kSystems,
                 "{system: a, kind: tcp, throughput: 9Gbit/s, clientCpuPercent: 0, use: fit}",
                 "out-of-range"},
        BadTable{kHosts, kSystems,
                 "{system: a, kind: tcp, throughput: 9Gbit/s, roundTrip: 9us, use: fit}",
                 "unknown-key"},
        BadTable{kHosts, kSystems, "", "no-rows"},
        BadTable{kHosts, "[{name: a, family: x, datapath: netfilter, encapsulation: vxlan}]",
                 "{system: a, kind: tcp, throughput: 9Gbit/s, linkMtu: 100, use: fit}",
                 "out-of-range"},
        BadTable{"{wire: veth, machine: {cores: 2, nic: 10Gbit/s}, linkMtu: 1500, kernel: k}",
                 kSystems, kRow, "bad-value"},
        BadTable{kHosts, kSystems,
                 "{system: a, kind: request-response, protocol: udp, connections: per-request, "
                 "roundTrip: 9us, use: fit}",
                 "bad-value"}));

}  // namespace measurement_table_test

}  // namespace overlane::calibrate
