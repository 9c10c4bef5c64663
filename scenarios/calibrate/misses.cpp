#include <algorithm>

#include <fmt/format.h>

#include "scenarios/calibrate/calibration_report.h"

namespace overlane::calibrate {
namespace {

Finding miss(const CalibrationReport& report, std::string rule, std::string message) {
  return {.rule = std::move(rule),
          .severity = Severity::Warning,
          .message = fmt::format("{}: {}", report.table.name, message),
          .object = {.kind = "MeasurementTable", .namespace_ = "", .name = report.table.name},
          .place = {}};
}

/// The offloads that are off in a row. Without GSO the NIC has nothing to segment, so those are
/// omitted.
std::string switches_of(const Row& row) {
  using cost::Offloads;
  const auto is_off = [&](bool Offloads::*which) {
    return std::ranges::find(row.offloads, spec::OffloadSwitch{which, false}) != row.offloads.end();
  };
  std::string text;
  if (is_off(&Offloads::gso)) {
    text += ", no GSO";
  } else {
    if (is_off(&Offloads::tso)) text += ", no TSO";
    if (is_off(&Offloads::ipxip4_segmentation)) text += ", no IPIP offload";
    if (is_off(&Offloads::udp_tnl_segmentation)) text += ", no UDP tunnel offload";
  }
  if (is_off(&Offloads::gro)) text += ", no GRO";
  return text;
}

Finding at(Finding finding, const Row& row) {
  finding.place = row.place;
  return finding;
}

}  // namespace

std::string load_of(const Row& row) {
  std::string text = fmt::format(
      "{}, {} flow{}", row.kind == model::TrafficKind::RequestResponse ? "rr" : to_string(row.kind),
      row.flows, row.flows == 1 ? "" : "s");
  if (row.over_udp) text += " over UDP";
  if (row.connection_per_request) text += " with connections of their own";
  if (row.payload_bytes != 0) text += fmt::format(" of {} B", row.payload_bytes);
  if (row.pod_mtu) {
    text += fmt::format(", MTU {}", *row.pod_mtu);
  } else if (row.link_mtu) {
    text += fmt::format(", link MTU {}", *row.link_mtu);
  }
  text += switches_of(row);
  if (!row.kernel.empty()) text += fmt::format(", {}", row.kernel);
  return text;
}

Findings misses(const CalibrationReport& report) {
  Findings findings;
  for (const Margin& margin : report.margins) {
    if (margin.met()) continue;
    findings.push_back(
        miss(report, "margin-missed",
             fmt::format("{} of rows to {} is off by {:.1f} % in the mean, more than {:.0f} %",
                         to_string(margin.kind), to_string(margin.use), 100 * margin.mean_error,
                         100 * margin.allowed)));
  }
  for (const Pair& pair : report.pairs) {
    if (!pair.left_out.empty() || pair.right()) continue;
    const Row &ahead = report.table.rows[pair.ahead], &behind = report.table.rows[pair.behind];
    findings.push_back(at(
        miss(report, "order-wrong",
             fmt::format("{} ({}) was measured ahead of {} ({}) by {:.1f} %; predicted: {:+.1f} %",
                         report.table.system_of(ahead).name, load_of(ahead),
                         report.table.system_of(behind).name, load_of(behind),
                         100 * (pair.measured - 1), 100 * (pair.predicted - 1))),
        ahead));
  }
  for (const Ratio& ratio : report.ratios) {
    if (ratio.met()) continue;
    const Row &row = report.table.rows[ratio.row], &base = report.table.rows[ratio.baseline];
    findings.push_back(
        at(miss(report, "ratio-missed",
                fmt::format("{} over {} ({}) is {:.2f}, measured {:.2f}",
                            report.table.system_of(row).name, report.table.system_of(base).name,
                            load_of(row), ratio.predicted, ratio.measured)),
           row));
  }
  return findings;
}

}  // namespace overlane::calibrate
