#include "scenarios/calibrate/calibration_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::calibrate {

namespace {

using model::TrafficKind;

/// Figures closer than this count as equal.
constexpr double kTooClose = 0.05;

struct MarginFacts {
  MarginKind kind;
  std::string_view name;
  double fitted;   ///< For rows of use `fit`.
  double checked;  ///< For rows of use `check`.
};
constexpr std::array kMargins = {
    MarginFacts{MarginKind::Throughput, "throughput", 0.15, 0.25},
    MarginFacts{MarginKind::RequestResponse, "request-response", 0.10, 0.20},
    MarginFacts{MarginKind::CpuPerTransaction, "CPU per transaction", 0.20, 0.20},
};

std::vector<Margin> judge_margins(const CalibrationReport& report) {
  std::vector<Margin> margins;
  for (const MarginFacts& facts : kMargins) {
    for (const Use use : {Use::Fit, Use::Check}) {
      Margin margin{.kind = facts.kind,
                    .use = use,
                    .allowed = use == Use::Fit ? facts.fitted : facts.checked};
      for (const RowResult& result : report.rows) {
        const MeasurementRow& row = report.table.rows[result.row];
        for (std::size_t f = 0; row.use == use && f < row.figures.size(); ++f) {
          if (margin_of(row.figures[f].quantity) != facts.kind) continue;
          ++margin.figures;
          margin.mean_error += std::abs(error_of(row.figures[f], result.predicted[f]));
        }
      }
      if (margin.figures == 0) continue;
      margin.mean_error /= static_cast<double>(margin.figures);
      margins.push_back(margin);
    }
  }
  return margins;
}

/// A row's measured and predicted rate, for ordering rows; nothing if the row has no rate.
struct Rate {
  double measured;
  double predicted;
};
std::optional<Rate> rate_of(const CalibrationReport& report, const RowResult& result) {
  const MeasurementRow& row = report.table.rows[result.row];
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const Quantity quantity = row.figures[f].quantity;
    if (quantity == Quantity::Throughput || quantity == Quantity::Transactions)
      return Rate{row.figures[f].value, result.predicted[f]};
  }
  return std::nullopt;
}

std::string why_left_out(double measured, const MeasurementRow& a, const MeasurementRow& b) {
  const double distance = measured - 1;
  if (distance <= kTooClose) {
    return fmt::format("{:.1f} % apart, not more than 5 %", 100 * distance);
  }
  const double spread = std::max(a.spread, b.spread);
  if (distance <= spread) {
    return fmt::format("{:.1f} % apart, not more than the table's own spread of {:.1f} %",
                       100 * distance, 100 * spread);
  }
  return "";
}

std::vector<Pair> judge_order(const CalibrationReport& report) {
  std::vector<Pair> pairs;
  const MeasurementTable& table = report.table;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    for (std::size_t j = i + 1; j < report.rows.size(); ++j) {
      const RowResult *ahead = &report.rows[i], *behind = &report.rows[j];
      const MeasurementRow &a = table.rows[ahead->row], &b = table.rows[behind->row];
      if (table.system_of(a).family != table.system_of(b).family || a.kernel != b.kernel ||
          a.kind != b.kind || a.flows != b.flows) {
        continue;
      }
      if (a.system == b.system && have_equal_loads(a, b)) continue;  // Measured twice.
      const auto first = rate_of(report, *ahead), second = rate_of(report, *behind);
      if (!first || !second) continue;
      const bool swapped = first->measured < second->measured;
      const Rate &more = swapped ? *second : *first, &less = swapped ? *first : *second;
      if (swapped) std::swap(ahead, behind);
      const double measured = more.measured / less.measured;
      pairs.push_back({.ahead = ahead->row,
                       .behind = behind->row,
                       .measured = measured,
                       .predicted = more.predicted / less.predicted,
                       .left_out = why_left_out(measured, a, b)});
    }
  }
  return pairs;
}

std::vector<Ratio> judge_ratios(const CalibrationReport& report) {
  std::vector<Ratio> ratios;
  const auto result_of = [&](std::size_t row) {
    return std::ranges::find(report.rows, row, &RowResult::row);
  };
  for (const RatioRows& rows : ratio_rows(report.table)) {
    const auto mine = result_of(rows.row), other = result_of(rows.baseline);
    if (mine == report.rows.end() || other == report.rows.end()) continue;
    const auto a = rate_of(report, *mine), b = rate_of(report, *other);
    if (!a || !b) continue;
    Ratio ratio{rows.row, rows.baseline, a->measured / b->measured, a->predicted / b->predicted,
                rows.within};
    if (report.table.rows[rows.row].kind == TrafficKind::RequestResponse) {
      ratio.measured = 1 / ratio.measured;  // Ratios of latencies, as published.
      ratio.predicted = 1 / ratio.predicted;
    }
    ratios.push_back(ratio);
  }
  return ratios;
}

}  // namespace

double error_of(const Figure& figure, double predicted) {
  return predicted / figure.value - 1;
}

std::optional<MarginKind> margin_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Throughput:
      return MarginKind::Throughput;
    case Quantity::Transactions:
      return MarginKind::RequestResponse;
    case Quantity::ClientCpu:
    case Quantity::ServerCpu:
      return MarginKind::CpuPerTransaction;
    case Quantity::ClientLoad:
    case Quantity::ServerLoad:
      break;
  }
  return std::nullopt;
}

std::string_view to_string(MarginKind kind) {
  return kMargins[static_cast<std::size_t>(kind)].name;
}

bool Ratio::met() const {
  return std::abs(predicted - measured) <= within;
}

namespace {

bool is_new_path(const MeasurementTable& table, const MeasurementRow& row) {
  const System& system = table.system_of(row);
  return std::ranges::none_of(table.rows, [&](const MeasurementRow& other) {
    const System& known = table.system_of(other);
    return other.use == Use::Fit && known.encapsulation == system.encapsulation &&
           known.datapath == system.datapath;
  });
}

/// Longest span, by position in kSpans, on drawn hosts: the last percent does not matter there.
constexpr std::size_t kLongestOfDraws = 1;

}  // namespace

Parsed<CalibrationReport> judge(const MeasurementTable& table, const HostModel& model,
                                std::uint32_t threads, const runner::TasksDone& progress,
                                const Knowledge* knowledge) {
  auto trials =
      make_trials(table, [](const MeasurementRow& row) { return row.use != Use::LeftOut; });
  if (!trials) return fail(trials.error());
  auto predictions = predict_steady(*trials, model, threads, progress);
  if (!predictions) return fail(predictions.error());

  CalibrationReport report{.table = table, .profile = model.costs.name, .model = model};
  for (std::size_t i = 0; i < trials->size(); ++i) {
    SteadyPrediction& prediction = (*predictions)[i];
    const MeasurementRow& row = *(*trials)[i].row;
    report.rows.push_back({.row = static_cast<std::size_t>(&row - table.rows.data()),
                           .predicted = std::move(prediction.figures),
                           .simulated = kSpans[prediction.span],
                           .is_steady = prediction.is_steady,
                           .is_new_path = is_new_path(table, row),
                           .drawn = {}});
  }
  if (knowledge != nullptr) {
    for (std::size_t i = 0; i < trials->size(); ++i)
      (*trials)[i].span = std::min((*predictions)[i].span, kLongestOfDraws);
    auto drawn = draw_figures(table, *trials, model, *knowledge, threads);
    if (!drawn) return fail(drawn.error());
    for (std::size_t i = 0; i < report.rows.size(); ++i)
      report.rows[i].drawn = std::move((*drawn)[i]);
  }
  report.margins = judge_margins(report);
  report.pairs = judge_order(report);
  report.ratios = judge_ratios(report);
  return report;
}

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
std::string switches_of(const MeasurementRow& row) {
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
  if (is_off(&Offloads::tunnel_checksum)) text += ", no tunnel checksums";
  if (is_off(&Offloads::gro)) text += ", no GRO";
  if (is_off(&Offloads::zero_checksum_gro)) text += ", no GRO of zero checksums";
  return text;
}

Finding at(Finding finding, const MeasurementRow& row) {
  finding.place = row.place;
  return finding;
}

}  // namespace

std::string load_of(const MeasurementRow& row) {
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
  for (spec::RegimeStatement statement : report.table.hosts.machine.regimes) {
    statement.object = {"MeasurementTable", "", report.table.name};
    findings.push_back(spec::unsupported(statement));
  }
  for (const RowResult& result : report.rows) {
    if (result.is_steady) continue;
    const MeasurementRow& row = report.table.rows[result.row];
    findings.push_back(
        at(miss(report, "row-not-steady",
                fmt::format("{} ({}) has no steady state within {} ms of simulated time; it is not "
                            "fitted",
                            report.table.system_of(row).name, load_of(row),
                            result.simulated.count / milliseconds(1).count)),
           row));
  }
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
    const MeasurementRow &ahead = report.table.rows[pair.ahead],
                         &behind = report.table.rows[pair.behind];
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
    const MeasurementRow &row = report.table.rows[ratio.row],
                         &base = report.table.rows[ratio.baseline];
    findings.push_back(
        at(miss(report, "ratio-missed",
                fmt::format("{} over {} ({}) is {:.2f}, measured {:.2f}",
                            report.table.system_of(row).name, report.table.system_of(base).name,
                            load_of(row), ratio.predicted, ratio.measured)),
           row));
  }
  return findings;
}

namespace {

struct NoveltyName {
  Novelty novelty;
  std::string_view name;
};
constexpr std::array kNovelties = {
    NoveltyName{Novelty::System, "another CNI, encapsulation or datapath"},
    NoveltyName{Novelty::Kernel, "another kernel"},
    NoveltyName{Novelty::Mtu, "another MTU or other offloads"},
    NoveltyName{Novelty::Load, "another load"},

};
constexpr std::array kKinds = {MarginKind::Throughput, MarginKind::RequestResponse,
                               MarginKind::CpuPerTransaction};

Novelty novelty_of(const MeasurementTable& table, const MeasurementRow& row) {
  bool system = false, kernel = false, mtu = false;
  for (const MeasurementRow& other : table.rows) {
    if (other.use != Use::Fit || other.system != row.system) continue;
    system = true;
    if (other.kernel != row.kernel) continue;
    kernel = true;
    mtu |= other.pod_mtu == row.pod_mtu && other.link_mtu == row.link_mtu &&
           other.offloads == row.offloads;
  }
  if (!system) return Novelty::System;
  if (!kernel) return Novelty::Kernel;
  return mtu ? Novelty::Load : Novelty::Mtu;
}

}  // namespace

std::string_view to_string(Novelty novelty) {
  return kNovelties[static_cast<std::size_t>(novelty)].name;
}

std::vector<Generalisation> generalise(const CalibrationReport& report) {
  std::vector<Generalisation> all;
  for (const NoveltyName& novelty : kNovelties)
    for (const MarginKind kind : kKinds)
      all.push_back({.novelty = novelty.novelty, .kind = kind});
  for (const RowResult& result : report.rows) {
    const MeasurementRow& row = report.table.rows[result.row];
    if (row.use != Use::Check) continue;
    const Novelty novelty = novelty_of(report.table, row);
    for (std::size_t f = 0; f < row.figures.size(); ++f) {
      const auto kind = margin_of(row.figures[f].quantity);
      if (!kind) continue;
      Generalisation& entry =
          all[static_cast<std::size_t>(novelty) * kKinds.size() + static_cast<std::size_t>(*kind)];
      ++entry.figures;
      entry.mean_error += std::abs(error_of(row.figures[f], result.predicted[f]));
    }
  }
  std::erase_if(all, [](const Generalisation& entry) { return entry.figures == 0; });
  for (Generalisation& entry : all)
    entry.mean_error /= static_cast<double>(entry.figures);
  return all;
}

namespace {

using nlohmann::ordered_json;

ordered_json encode_row(const CalibrationReport& report, const MeasurementRow& row,
                        const RowResult* result) {
  const Prediction* said = result == nullptr ? nullptr : &result->predicted;
  ordered_json json{{"system", report.table.system_of(row).name},
                    {"family", report.table.system_of(row).family},
                    {"kernel", row.kernel},
                    {"kind", to_string(row.kind)},
                    {"flows", row.flows},
                    {"use", to_string(row.use)}};
  if (!row.because.empty()) json["because"] = row.because;
  if (result != nullptr) {
    json["simulated_ns"] = result->simulated.count / 1000;
    json["is_steady"] = result->is_steady;
  }
  ordered_json& figures = json["figures"] = ordered_json::array();
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const Figure& figure = row.figures[f];
    ordered_json entry{{"quantity", json_name(figure.quantity)}, {"measured", figure.value}};
    entry["predicted"] = said == nullptr ? ordered_json() : ordered_json((*said)[f]);
    entry["error"] = said == nullptr ? ordered_json() : ordered_json(error_of(figure, (*said)[f]));
    if (result != nullptr) {
      if (const auto interval = result->interval(f, figure.quantity))
        entry["interval_80"] = {{"low", interval->low}, {"high", interval->high}};
    }
    figures.push_back(std::move(entry));
  }
  return json;
}

ordered_json encode_rows(const CalibrationReport& report) {
  ordered_json rows = ordered_json::array();
  std::size_t next = 0;
  for (std::size_t i = 0; i < report.table.rows.size(); ++i) {
    const bool predicted = next < report.rows.size() && report.rows[next].row == i;
    rows.push_back(
        encode_row(report, report.table.rows[i], predicted ? &report.rows[next] : nullptr));
    next += predicted;
  }
  return rows;
}

ordered_json encode_found(std::string_view name, const FittedFactor* found) {
  ordered_json json{{"name", name}};
  if (found == nullptr) return json;
  json["factor"] = found->factor;
  json["uncertainty"] = found->uncertainty;
  json["identified"] = found->identified;
  return json;
}

ordered_json encode_constants(const CalibrationReport& report) {
  ordered_json constants = ordered_json::array();
  for (std::size_t i = 0; i < kConstantCount; ++i) {
    const ConstantFacts& facts = kConstants[i];
    if (!exists(facts.constant, report.table.hosts.wire)) continue;
    ordered_json json = encode_found(facts.name, report.fit ? &report.fit->constants[i] : nullptr);
    json["nanoseconds"] = nanoseconds_of(facts.constant, report.model);
    constants.push_back(std::move(json));
  }
  return constants;
}

ordered_json encode_classes(const CalibrationReport& report) {
  ordered_json classes = ordered_json::array();
  for (const CostClass cost_class : kCostClasses)
    if (report.fit)
      classes.push_back(encode_found(to_string(cost_class),
                                     &report.fit->classes[static_cast<std::size_t>(cost_class)]));
  return classes;
}

ordered_json encode_kernels(const CalibrationReport& report) {
  ordered_json kernels = ordered_json::array();
  for (const auto& [name, scale] : report.model.kernels) {
    const FittedFactor* found = nullptr;
    for (std::size_t k = 0; report.fit && k < report.fit->kernels.size(); ++k)
      if (report.fit->kernels[k] == name) found = &report.fit->kernel_scales[k];
    ordered_json json = encode_found(name, found);
    json["scale"] = scale;
    kernels.push_back(std::move(json));
  }
  return kernels;
}

ordered_json encode_pair(const CalibrationReport& report, const Pair& pair) {
  const auto name = [&](std::size_t row) {
    const MeasurementRow& found = report.table.rows[row];
    return fmt::format("{}: {}", report.table.system_of(found).name, load_of(found));
  };
  ordered_json json{{"ahead", name(pair.ahead)},
                    {"behind", name(pair.behind)},
                    {"measured", pair.measured},
                    {"predicted", pair.predicted},
                    {"right", pair.right()}};
  json["left_out"] = pair.left_out.empty() ? ordered_json() : ordered_json(pair.left_out);
  return json;
}

}  // namespace

ordered_json encode(const CalibrationReport& report) {
  ordered_json json{{"schema_version", 1},
                    {"kind", "CalibrationReport"},
                    {"table", report.table.name},
                    {"source", report.table.source},
                    {"profile", report.profile},
                    {"fitted", report.fit.has_value()},
                    {"rounds", report.fit ? report.fit->rounds : 0},
                    {"constants", encode_constants(report)},
                    {"classes", encode_classes(report)},
                    {"kernels", encode_kernels(report)},
                    {"rows", encode_rows(report)}};
  ordered_json& margins = json["margins"] = ordered_json::array();
  for (const Margin& margin : report.margins) {
    margins.push_back({{"kind", to_string(margin.kind)},
                       {"use", to_string(margin.use)},
                       {"figures", margin.figures},
                       {"mean_absolute_error", margin.mean_error},
                       {"allowed", margin.allowed},
                       {"met", margin.met()}});
  }
  ordered_json& order = json["order"] = ordered_json::array();
  for (const Pair& pair : report.pairs)
    order.push_back(encode_pair(report, pair));
  ordered_json& ratios = json["ratios"] = ordered_json::array();
  for (const Ratio& ratio : report.ratios) {
    const MeasurementRow& row = report.table.rows[ratio.row];
    const MeasurementRow& base = report.table.rows[ratio.baseline];
    ratios.push_back({{"system", report.table.system_of(row).name},
                      {"baseline", report.table.system_of(base).name},
                      {"load", load_of(row)},
                      {"measured", ratio.measured},
                      {"predicted", ratio.predicted},
                      {"within", ratio.within},
                      {"met", ratio.met()}});
  }
  return json;
}

}  // namespace overlane::calibrate
