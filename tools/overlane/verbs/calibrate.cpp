#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/report/column_table.h"
#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/files.h"
#include "scenarios/calibrate/leave_one_out.h"
#include "scenarios/calibrate/measure_table.h"
#include "scenarios/library/library.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {

namespace {

using calibrate::CalibrationReport;
using calibrate::FittedFactor;
using calibrate::MeasurementRow;
using report::ColumnTable;

std::vector<std::string> found_cells(const FittedFactor* found, std::string value) {
  if (found == nullptr) return {std::move(value), "", ""};
  if (!found->identified)
    return {std::move(value), found->factor == 1 ? "" : fmt::format("{:.3f}", found->factor),
            "not identified"};
  return {std::move(value), fmt::format("{:.3f}", found->factor),
          fmt::format("{:.0f} %", 100 * found->uncertainty)};
}

std::string constants(const CalibrationReport& report, report::Style style) {
  ColumnTable table({"ns", "factor", "uncertain by"});
  table.heading(fmt::format("constants ({})", report.profile));
  for (std::size_t i = 0; i < calibrate::kConstantCount; ++i) {
    const auto& facts = calibrate::kConstants[i];
    if (!calibrate::exists(facts.constant, report.table.hosts.wire)) continue;
    const double value = calibrate::nanoseconds_of(facts.constant, report.model);
    table.row(fmt::format("  {}: {}", facts.name, facts.meaning),
              found_cells(report.fit ? &report.fit->constants[i] : nullptr,
                          calibrate::nanoseconds_text(value)));
  }
  if (report.fit) {
    for (const calibrate::CostClass cost_class : calibrate::kCostClasses)
      table.row(fmt::format("  speed of the hosts: {}", to_string(cost_class)),
                found_cells(&report.fit->classes[static_cast<std::size_t>(cost_class)], ""));
  }
  for (const auto& [kernel, scale] : report.model.kernels) {
    const FittedFactor* found = nullptr;
    for (std::size_t k = 0; report.fit && k < report.fit->kernels.size(); ++k)
      if (report.fit->kernels[k] == kernel) found = &report.fit->kernel_scales[k];
    table.row(fmt::format("  kernel {}: times everything", kernel),
              found_cells(found, fmt::format("{:.3g}", scale)));
  }
  return table.to_string(style);
}

/// "8.2 Gbit/s to 9.4 Gbit/s"; empty if nothing is known about the hosts.
std::string interval_text(const calibrate::RowResult& result, const calibrate::Figure& figure,
                          std::size_t position) {
  const auto interval = result.interval(position, figure.quantity);
  if (!interval) return "";
  return fmt::format("{} to {}", figure_text(figure.quantity, interval->low),
                     figure_text(figure.quantity, interval->high));
}

void add_row(ColumnTable& table, const MeasurementRow& row, const calibrate::RowResult& result) {
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const calibrate::Figure& figure = row.figures[f];
    const double predicted = result.predicted[f];
    table.row(f == 0 ? fmt::format("  {}: {}", load_of(row), to_string(figure.quantity))
                     : fmt::format("    {}", to_string(figure.quantity)),
              {figure_text(figure.quantity, figure.value), figure_text(figure.quantity, predicted),
               calibrate::error_text(error_of(figure, predicted)), interval_text(result, figure, f),
               std::string(to_string(row.use))});
  }
}

/// The rows of the report, grouped by system.
std::string rows(const CalibrationReport& report, report::Style style) {
  ColumnTable table({"measured", "predicted", "error", "with 80 % between", "use"});
  for (const calibrate::System& system : report.table.systems) {
    bool any = false;
    for (const calibrate::RowResult& result : report.rows) {
      const MeasurementRow& row = report.table.rows[result.row];
      if (report.table.system_of(row).name != system.name) continue;
      if (!std::exchange(any, true)) table.heading(system.name);
      add_row(table, row, result);
    }
  }
  return table.to_string(style);
}

/// How long the rows were simulated; empty without rows.
std::string simulated(const CalibrationReport& report) {
  if (report.rows.empty()) return "";
  const auto [shortest, longest] =
      std::ranges::minmax(report.rows, {}, &calibrate::RowResult::simulated);
  const auto milliseconds_of = [](const calibrate::RowResult& row) {
    return row.simulated.count / milliseconds(1).count;
  };
  const auto changing = std::ranges::count(report.rows, false, &calibrate::RowResult::is_steady);
  std::string text = fmt::format("rows are steady after {} to {} ms of simulated time",
                                 milliseconds_of(shortest), milliseconds_of(longest));
  if (changing != 0) text += fmt::format("; {} of {} never are", changing, report.rows.size());
  return text;
}

std::string judgement(const CalibrationReport& report, report::Style style) {
  ColumnTable table({"figures", "mean error", "allowed", ""});
  table.heading("margins");
  for (const calibrate::Margin& margin : report.margins) {
    table.row(fmt::format("  {}, rows to {}", to_string(margin.kind), to_string(margin.use)),
              {fmt::format("{}", margin.figures), fmt::format("{:.1f} %", 100 * margin.mean_error),
               fmt::format("{:.0f} %", 100 * margin.allowed), margin.met() ? "met" : "MISSED"});
  }
  std::size_t judged = 0, right = 0;
  for (const calibrate::Pair& pair : report.pairs) {
    judged += pair.left_out.empty();
    right += pair.left_out.empty() && pair.right();
  }
  std::string text = table.to_string(style);
  if (const std::string time = simulated(report); !time.empty()) text += "\n" + time + "\n";
  text += fmt::format("\norder: {} of {} pairs right; {} too close to tell\n", right, judged,
                      report.pairs.size() - judged);
  for (const calibrate::Ratio& ratio : report.ratios) {
    const MeasurementRow& row = report.table.rows[ratio.row];
    text += fmt::format(
        "{} over {} ({}): {:.2f}, measured {:.2f}, {}\n", report.table.system_of(row).name,
        report.table.system_of(report.table.rows[ratio.baseline]).name, load_of(row),
        ratio.predicted, ratio.measured, ratio.met() ? "met" : "MISSED");
  }
  return text;
}

/// A calibration as text: constants, rows with residuals, margins, order and ratios.
std::string calibration_table(const CalibrationReport& report, report::Style style) {
  return constants(report, style) + "\n" + rows(report, style) + "\n" + judgement(report, style);
}

using calibrate::Use;

constexpr std::string_view kIntroduction = R"(# Fidelity

The predictions of the packet engine compared with published measurements. Each prediction is a run of the engine on two
nodes with the states of the measured encapsulation and MTU. Its costs are those of the library's profile that has the
name of the table; `overlane calibrate` fitted it to the rows marked *fit* ([calibration.md](calibration.md)). Rows marked
*check* were not used for the fit. `tools/write-docs` writes this page, and a test checks its figures.

An error is the prediction divided by the measurement, minus 1. A mean error is the mean of absolute errors. CPU loads are
shares of all hardware threads; they are shown, but have no limit.
)";

constexpr std::string_view kGeneralisation = R"(
## Rows that were not fitted

Mean errors of rows that differ from all fitted rows of their table, by the first property in which they differ.

| table | what is new | figures | number | mean error |
|---|---|---|---|---|
)";

constexpr std::string_view kUnknownHosts = R"(# Hosts outside the library

Each table is predicted by a model of the other hosts: once without any measurement of its hosts, once after two rows
without encapsulation were fitted, as an operator can measure them in an hour: one stream, if possible one that the link
does not limit, and one request. An entry is
the mean error, and how many of the measured figures are within the interval of 80 % that the prediction has. *Overlay
ratios* divide a row with encapsulation by one without, under the same load. *Order* counts the pairs of systems of one
CNI that the prediction orders as the measurement does. Tables that only appear here have no profile of their own. The
last row sums up all tables: it holds for hosts that are not in the library.
)";

constexpr std::string_view kMissReasons = R"(
What is behind the misses and the largest errors:

- Overlay ratios: requests lose more time in the tunnels of `kubeovn-e2278g` (Open vSwitch of Linux 3.10) and
  `daocloud-r620` (processors of 2012) than on any other host, and no baseline row shows that. Without these two tables
  the mean error is 9.3 %.
- Order: four of the eight wrong pairs are VXLAN and Geneve of Cilium in `krd-kvm`, which cost the same here and were
  measured 12 % apart.
- The NIC of `infrabuilder-40g` takes 3.6 times the usual time for a packet, which no baseline row determines.
- The requests of `spiderpool-cx5` wait for adaptive interrupt moderation and C-states, which are
  [not modelled](regimes.md), and two of its streams carry 1.4 times as much as one.
)";

std::string system_of(const CalibrationReport& report, std::size_t row) {
  return report.table.system_of(report.table.rows[row]).name;
}

std::string summary(const std::vector<CalibrationReport>& reports) {
  std::string text =
      "\n| table | figures | rows to | number | mean error | allowed | |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const CalibrationReport& report : reports) {
    for (const calibrate::Margin& margin : report.margins) {
      text += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4:.1f} % | {5:.0f} % | {6} |\n",
                          report.table.name, to_string(margin.kind), to_string(margin.use),
                          margin.figures, 100 * margin.mean_error, 100 * margin.allowed,
                          margin.met() ? "met" : "**missed**");
    }
  }
  return text;
}

std::string generalisation(const std::vector<CalibrationReport>& reports) {
  std::string text(kGeneralisation);
  for (const CalibrationReport& report : reports)
    for (const calibrate::Generalisation& entry : generalise(report))
      text += fmt::format("| {} | {} | {} | {} | {:.1f} % |\n", report.table.name,
                          to_string(entry.novelty), to_string(entry.kind), entry.figures,
                          100 * entry.mean_error);
  return text;
}

using calibrate::ScoredKind;

/// A kind of figures and the largest mean error that it is meant to have on unknown hosts.
struct ErrorTarget {
  ScoredKind kind;
  double largest;
};
constexpr std::array kErrorTargets = {
    ErrorTarget{ScoredKind::Throughput, 0.15},
    ErrorTarget{ScoredKind::Requests, 0.20},
    ErrorTarget{ScoredKind::OverlayRatio, 0.10},
};
/// The smallest share of figures within their interval, and of pairs in order.
constexpr double kInsideTarget = 0.9, kOrderTarget = 0.95;

/// "4.2 %, 5 of 6": the mean error, and how many figures are within their interval.
std::string accuracy_text(const calibrate::Accuracy& accuracy) {
  if (accuracy.count == 0) return "-";
  return fmt::format("{:.1f} %, {} of {}", 100 * accuracy.mean_error, accuracy.within,
                     accuracy.count);
}

std::vector<std::string> score_cells(const calibrate::Score& score) {
  if (!score.problem.empty()) return {score.problem, "", "", ""};
  std::vector<std::string> cells;
  for (const ErrorTarget& target : kErrorTargets)
    cells.push_back(accuracy_text(score.accuracy(target.kind)));
  cells.push_back(fmt::format("{} of {}", score.right_pairs, score.pairs));
  return cells;
}

constexpr std::array kMeasured = {calibrate::Measured::Nothing, calibrate::Measured::Baseline};

std::string scores_table(const std::vector<calibrate::Score>& scores, report::Style style) {
  std::string text =
      "\nhosts outside the library (mean error, figures within their interval of 80 %)\n";
  for (const auto measured : kMeasured) {
    ColumnTable table({"throughput", "requests", "overlay ratios", "order"});
    table.heading(fmt::format("measured before: {}", to_string(measured)));
    for (const calibrate::Score& score : scores)
      if (score.measured == measured) table.row("  " + score.table, score_cells(score));
    text += table.to_string(style);
  }
  return text;
}

std::string target_row(const std::string& what, const std::string& target, double value,
                       bool is_met, const std::string& worst) {
  return fmt::format("| {} | {} | {:.1f} % | {} | {} |\n", what, target, 100 * value,
                     is_met ? "met" : "**missed**", worst);
}

/// The table whose errors of one kind have the largest sum, and the mean without it: "18.6 %
/// without kvm".
std::string without_worst(const std::vector<const calibrate::Score*>& tables, ScoredKind kind) {
  const auto sum = [&](const calibrate::Score* score) {
    const calibrate::Accuracy one = score->accuracy(kind);
    return one.mean_error * static_cast<double>(one.count);
  };
  const auto worst = std::ranges::max_element(tables, {}, sum);
  double errors = 0;
  std::size_t count = 0;
  for (const calibrate::Score* score : tables) {
    if (score == *worst) continue;
    errors += sum(score);
    count += score->accuracy(kind).count;
  }
  if (count == 0) return "-";
  return fmt::format("{:.1f} % without {}", 100 * errors / static_cast<double>(count),
                     (*worst)->table);
}

/// The targets of predictions after two baseline rows, and whether they are met.
std::string targets(const std::vector<calibrate::Score>& scores) {
  std::vector<const calibrate::Score*> tables;
  const calibrate::Score* all = nullptr;
  for (const calibrate::Score& score : scores) {
    if (score.measured != calibrate::Measured::Baseline || !score.problem.empty()) continue;
    if (score.table == calibrate::kAllTables)
      all = &score;
    else
      tables.push_back(&score);
  }
  if (all == nullptr) return "";
  std::string text =
      "\n## Targets for hosts outside the library\n\n"
      "Each table of [hosts outside the library](unknown-hosts.md), predicted by the other hosts "
      "and two\nbaseline rows:\n\n"
      "| figures | target | is | | without the largest part |\n|---|---|---|---|---|\n";
  std::size_t count = 0, inside = 0;
  for (const ErrorTarget& target : kErrorTargets) {
    const calibrate::Accuracy is = all->accuracy(target.kind);
    count += is.count;
    inside += is.within;
    text += target_row(fmt::format("mean error of {}", to_string(target.kind)),
                       fmt::format("at most {:.0f} %", 100 * target.largest), is.mean_error,
                       is.mean_error <= target.largest, without_worst(tables, target.kind));
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const double within = share(inside, count), ordered = share(all->right_pairs, all->pairs);
  text += target_row("figures within their interval",
                     fmt::format("at least {:.0f} %", 100 * kInsideTarget), within,
                     within >= kInsideTarget, "-");
  text += target_row("pairs in order", fmt::format("at least {:.0f} %", 100 * kOrderTarget),
                     ordered, ordered >= kOrderTarget, "-");
  return text + std::string(kMissReasons);
}

std::string unknown_hosts(const std::vector<calibrate::Score>& scores) {
  std::string text(kUnknownHosts);
  for (const auto measured : kMeasured) {
    text += fmt::format(
        "\n| measured before: {} | throughput | requests | overlay ratios | order |\n"
        "|---|---|---|---|---|\n",
        to_string(measured));
    for (const calibrate::Score& score : scores)
      if (score.measured == measured)
        text += fmt::format("| {} | {} |\n", score.table, fmt::join(score_cells(score), " | "));
  }
  return text + targets(scores);
}

std::string constants(const CalibrationReport& report) {
  std::string text = "\n| constant | ns | |\n|---|---|---|\n";
  for (const auto& facts : calibrate::kConstants) {
    if (!exists(facts.constant, report.table.hosts.wire)) continue;
    const double value = nanoseconds_of(facts.constant, report.model);
    text += fmt::format("| {} | {} | {} |\n", facts.name, calibrate::nanoseconds_text(value),
                        facts.meaning);
  }
  for (const auto& [kernel, scale] : report.model.kernels)
    text += fmt::format("| kernel {} | × {:.3g} | all but what a byte takes |\n", kernel, scale);
  return text;
}

std::string rows(const CalibrationReport& report) {
  std::string text =
      "\n| system | load | figure | use | measured | predicted | error |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const calibrate::RowResult& result : report.rows) {
    const MeasurementRow& row = report.table.rows[result.row];
    for (std::size_t f = 0; f < row.figures.size(); ++f) {
      const calibrate::Figure& figure = row.figures[f];
      const double predicted = result.predicted[f];
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", system_of(report, result.row),
                          load_of(row), to_string(figure.quantity), to_string(row.use),
                          figure_text(figure.quantity, figure.value),
                          figure_text(figure.quantity, predicted),
                          calibrate::error_text(error_of(figure, predicted)));
    }
  }
  return text;
}

std::string pair_line(const CalibrationReport& report, const calibrate::Pair& pair,
                      const std::string& why) {
  return fmt::format("- {} before {}: {} ({})\n", system_of(report, pair.ahead),
                     system_of(report, pair.behind), load_of(report.table.rows[pair.ahead]), why);
}

std::string order(const CalibrationReport& report) {
  std::string wrong, left_out;
  std::size_t judged = 0, right = 0;
  for (const calibrate::Pair& pair : report.pairs) {
    if (!pair.left_out.empty()) {
      left_out += pair_line(report, pair, pair.left_out);
      continue;
    }
    ++judged;
    if (pair.right()) {
      ++right;
    } else {
      wrong += pair_line(report, pair,
                         fmt::format("measured {:+.1f} %, predicted {:+.1f} %",
                                     100 * (pair.measured - 1), 100 * (pair.predicted - 1)));
    }
  }
  std::string text = fmt::format(
      "\nOrder among rows of one CNI family and kernel: {} of {} pairs right.\n", right, judged);
  if (!wrong.empty()) text += "\nWrong:\n\n" + wrong;
  if (!left_out.empty()) text += "\nNot judged:\n\n" + left_out;
  return text;
}

std::string ratios(const CalibrationReport& report) {
  if (report.ratios.empty()) return "";
  std::string text =
      "\n| ratio | load | measured | predicted | within | |\n|---|---|---|---|---|---|\n";
  for (const calibrate::Ratio& ratio : report.ratios) {
    text += fmt::format("| {} over {} | {} | {:.2f} | {:.2f} | {:.2f} | {} |\n",
                        system_of(report, ratio.row), system_of(report, ratio.baseline),
                        load_of(report.table.rows[ratio.row]), ratio.measured, ratio.predicted,
                        ratio.within, ratio.met() ? "met" : "**missed**");
  }
  return text;
}

/// Rows that are neither fitted nor predicted; one line per system and reason.
std::string left_out(const CalibrationReport& report) {
  std::string text;
  const std::vector<MeasurementRow>& all = report.table.rows;
  for (auto row = all.begin(); row != all.end(); ++row) {
    const auto alike = [&](const MeasurementRow& other) {
      return other.use == Use::LeftOut && other.system == row->system &&
             other.because == row->because;
    };
    if (row->use != Use::LeftOut || std::any_of(all.begin(), row, alike)) continue;
    std::string loads;
    for (const MeasurementRow& other : all)
      if (alike(other)) loads += (loads.empty() ? "" : "; ") + load_of(other);
    text += fmt::format("- {} ({}): {}\n", report.table.system_of(*row).name, loads, row->because);
  }
  return text.empty() ? "" : "\nRows left out:\n\n" + text;
}

/// A Markdown page on several tables.
std::string fidelity_page(const std::vector<CalibrationReport>& reports) {
  std::string text(kIntroduction);
  text += summary(reports) + generalisation(reports);
  for (const CalibrationReport& report : reports) {
    text += fmt::format("\n## {}\n\n{}. Source: {}.\n", report.table.name, report.table.description,
                        report.table.source);
    text += constants(report) + rows(report) + ratios(report) + order(report) + left_out(report);
  }
  return text;
}

using calibrate::CalibrationReport;

enum class Shape { Table, Json, Yaml, Markdown };

constexpr std::array kShapes = {
    Choice<Shape>{"table", Shape::Table}, Choice<Shape>{"json", Shape::Json},
    Choice<Shape>{"yaml", Shape::Yaml}, Choice<Shape>{"markdown", Shape::Markdown}};

constexpr std::array kWires = {Choice<cost::Wire>{"nic", cost::Wire::Nic},
                               Choice<cost::Wire>{"virtio", cost::Wire::Virtio}};

struct CalibrateOptions {
  std::string table;
  std::string profile;
  bool predict = false;
  bool library = false;
  bool unknown_hosts = false;
  cost::Wire wire = cost::Wire::Nic;
  bool measure = false;
  std::uint32_t slices = 9;
  std::string table_file;
  std::uint32_t threads = 0;  ///< 0: one per core.
  Shape shape = Shape::Table;
  OutputOptions output;
  std::string profile_file;
  Severity fail_on = Severity::Error;
  bool quiet = false;
};

/// A report, and the initial profile.
struct Calibration {
  CalibrationReport report;
  spec::CostProfileFile prior;
};

ExitCode refuse(const Findings& findings, bool quiet) {
  print_findings(findings, quiet);
  return ExitCode::NoInput;
}

ExitCode internal(const std::string& what) {
  print_error(what + "; this is a defect of overlane: please report it with the table");
  return ExitCode::Internal;
}

/// The profile that predicts a table, or that a fit begins with. A table of the library has one of
/// its name, which is fitted from estimates; other tables have the mean of measured hosts. Hosts
/// that are namespaces wake up as no server does, so a fit of them begins with estimates, too.
std::string usual_profile(const calibrate::MeasurementTable& table, bool to_fit) {
  const auto known = calibrate::fitted_tables();
  const bool is_known = std::ranges::find(known, table.name) != known.end();
  if (to_fit && (is_known || table.hosts.wire == cost::Wire::Veth)) return calibrate::kPriorProfile;
  return is_known ? table.name : calibrate::usual_profile(table.hosts.wire);
}

/// Measures the rows of the table on this machine and returns the table with the new figures. Also
/// writes them to a file if one is given.
Result<calibrate::MeasurementTable, ExitCode> measured_here(const calibrate::MeasurementTable& plan,
                                                            const CalibrateOptions& options) {
  const Interrupt interrupt;
  const StatusLine line(!options.quiet && stderr_is_terminal());
  const auto show = [&](std::uint32_t slice, std::size_t row) {
    line.show(fmt::format("slice {} of {}: row {} of {}, {}", slice, options.slices, row + 1,
                          plan.rows.size(), calibrate::load_of(plan.rows[row])));
  };
  auto measured = calibrate::measure_table(
      plan, {.slices = options.slices, .stop = &interrupt.asked(), .on_row = show});
  if (interrupt.asked()) return fail(ExitCode::Interrupted);
  if (!measured) return fail(end_with(ExitCode::RunFailed, measured.error()));
  if (!options.table_file.empty()) {
    const ExitCode written = write_text(options.table_file, calibrate::write_table(*measured));
    if (written != ExitCode::Clean) return fail(written);
  }
  return *std::move(measured);
}

/// Fits one table, or only predicts it.
Result<Calibration, ExitCode> calibrate_table(const std::string& name,
                                              const CalibrateOptions& options) {
  auto table = calibrate::load_table(name);
  if (!table) return fail(refuse(table.error(), options.quiet));
  if (options.measure) {
    auto measured = measured_here(*table, options);
    if (!measured) return fail(measured.error());
    *table = *std::move(measured);
  }
  if (!options.predict &&
      std::ranges::count(table->rows, calibrate::Use::Fit, &calibrate::MeasurementRow::use) == 0) {
    return fail(refuse({{.rule = "nothing-to-fit",
                         .message = "no row of table " + table->name + " is there to be fitted",
                         .object = {},
                         .hint = "set use: fit for some, or predict all with --predict"}},
                       options.quiet));
  }
  auto prior = calibrate::load_profile(
      options.profile.empty() ? usual_profile(*table, !options.predict) : options.profile);
  if (!prior) return fail(refuse(prior.error(), options.quiet));
  calibrate::HostModel model = calibrate::model_of(*prior);
  std::optional<calibrate::Fit> fit;
  std::optional<StepsLine> line(std::in_place, !options.quiet && stderr_is_terminal());
  const auto show = [&line](std::size_t done, std::size_t count) { line->advance(done, count); };
  if (!options.predict) {
    line->begin("fitting", "simulations", true);
    auto found = calibrate::fit(*table, model, options.threads, show);
    if (!found) line.reset();
    if (!found) return fail(internal(found.error()));
    model = found->model;
    fit = *std::move(found);
  }
  line->begin("predicting", "rows");
  const calibrate::Knowledge knowledge =
      fit ? fit->knowledge : calibrate::knowledge_of(*prior, *table);
  auto report = calibrate::judge(*table, model, options.threads, show,
                                 options.library ? nullptr : &knowledge);
  line.reset();
  if (!report) return fail(internal(report.error()));
  report->fit = std::move(fit);
  return Calibration{*std::move(report), *std::move(prior)};
}

/// The scores of all tables of the library, or of the given one, each predicted by the other hosts.
/// Tables of namespaces are left out: their two hosts are one machine.
Result<std::vector<calibrate::Score>, ExitCode> leave_one_out(const CalibrateOptions& options) {
  std::vector<calibrate::Score> scores;
  std::vector<std::string> names{options.table};
  if (options.table.empty()) names = calibrate::library_tables();
  for (const std::string& name : names) {
    const auto table = calibrate::load_table(name);
    if (!table) return fail(refuse(table.error(), options.quiet));
    if (table->hosts.wire == cost::Wire::Veth) continue;
    const auto others = calibrate::model_of_others(*table);
    if (!others) return fail(refuse(others.error(), options.quiet));
    for (const auto measured : kMeasured) {
      auto score = calibrate::score(*table, *others, measured, options.threads);
      if (!score) return fail(internal(score.error()));
      scores.push_back(*std::move(score));
    }
  }
  for (const auto measured : kMeasured)
    scores.push_back(calibrate::total(scores, measured));
  return scores;
}

ExitCode write_usual(const CalibrateOptions& options) {
  const auto hosts = calibrate::fitted_hosts(options.wire);
  const auto prior = calibrate::load_profile(calibrate::kPriorProfile);
  if (!hosts) return refuse(hosts.error(), options.quiet);
  if (!prior) return refuse(prior.error(), options.quiet);
  return write_text(options.output, calibrate::write_usual_profile(
                                        calibrate::usual_profile(options.wire), *hosts, *prior));
}

ExitCode write(const std::vector<Calibration>& done, const CalibrateOptions& options) {
  const CalibrationReport& report = done.front().report;
  switch (options.shape) {
    case Shape::Table: {
      std::string text;
      for (const Calibration& calibration : done)
        text += calibration_table(calibration.report, output_style(options.output));
      return write_text(options.output, text);
    }
    case Shape::Json:
      return write_json(options.output, encode(report));
    case Shape::Yaml:
      return write_text(options.output, write_profile(report, done.front().prior));
    case Shape::Markdown: {
      std::vector<CalibrationReport> reports;
      for (const Calibration& calibration : done)
        reports.push_back(calibration.report);
      return write_text(options.output, fidelity_page(reports));
    }
  }
  return ExitCode::Internal;
}

ExitCode write_unknown_hosts(const CalibrateOptions& options) {
  const auto scores = leave_one_out(options);
  if (!scores) return scores.error();
  if (options.shape == Shape::Json) return write_json(options.output, encode(*scores));
  return write_text(options.output, options.shape == Shape::Markdown
                                        ? unknown_hosts(*scores)
                                        : scores_table(*scores, output_style(options.output)));
}

ExitCode run(const CalibrateOptions& options) {
  if (options.unknown_hosts) return write_unknown_hosts(options);
  if (options.library && options.shape == Shape::Yaml) return write_usual(options);
  std::vector<std::string> names{options.table};
  if (options.library) names = calibrate::fitted_tables();
  std::vector<Calibration> done;
  Findings misses;
  for (const std::string& name : names) {
    auto calibration = calibrate_table(name, options);
    if (!calibration) return calibration.error();
    const Findings more = calibrate::misses(calibration->report);
    misses.insert(misses.end(), more.begin(), more.end());
    done.push_back(*std::move(calibration));
  }
  print_findings(misses, options.quiet, options.fail_on);
  ExitCode written = write(done, options);
  if (written == ExitCode::Clean && !options.profile_file.empty()) {
    written =
        write_text(options.profile_file, write_profile(done.front().report, done.front().prior));
  }
  if (written != ExitCode::Clean) return written;
  return any_at_or_above(misses, options.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_calibrate(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<CalibrateOptions>();
  auto* table = verb->add_option("--table", options->table,
                                 "MeasurementTable: a file or the name of a library table")
                    ->type_name("FILE");
  suggest(table, calibrate::library_tables);
  auto* library = verb->add_flag("--library", options->library,
                                 "Predict all tables of the library with its profiles");
  library->excludes(table);
  verb->add_flag("--unknown-hosts", options->unknown_hosts,
                 "Predict each table of the library, or --table, by the library's other hosts, "
                 "before and after a fit of two baseline rows, and print how good that is")
      ->excludes(library);
  add_choice(*verb, "--wire", options->wire, kWires,
             "Whose mean --library -o yaml writes: of servers with NICs, or of virtual machines");
  verb->get_option("--wire")->needs(library);
  auto* measure =
      verb->add_flag("--measure", options->measure,
                     "Measure the table's rows on this machine's kernel first, and take these "
                     "figures; needs root (default table: namespaces)")
          ->excludes(library);
  verb->add_option("--slices", options->slices, "Slices of each row that is measured")
      ->type_name("N")
      ->check(CLI::Range(2, 1000))
      ->needs(measure);
  verb->add_option("--save-table", options->table_file,
                   "Also write the measured table to this file")
      ->type_name("FILE")
      ->needs(measure);
  CLI::Option* profile =
      verb->add_option(
              "--profile", options->profile,
              "CostProfile to predict with, or that a fit begins with: a file or the name of a "
              "library profile (default: the mean of the library's hosts)")
          ->type_name("FILE");
  suggest(profile, [] { return overlane::library::names_of_kind("CostProfile"); });
  verb->add_flag(
      "--predict", options->predict,
      "Fit nothing: predict the table by --profile, else by the library's profile of the "
      "table's name, else by the usual one");
  add_choice(*verb, "-o,--output", options->shape, kShapes,
             "Output format; yaml is the fitted CostProfile (with --library: the mean of the "
             "library's profiles)");
  verb->add_option("--out", options->output.file, "Write the result to this file")
      ->type_name("FILE");
  verb->add_option("--save-profile", options->profile_file,
                   "Also write the fitted CostProfile to this file")
      ->type_name("FILE")
      ->excludes(library);
  add_colour_options(*verb);
  verb->add_option("--threads", options->threads, "Number of threads; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_finding_options(*verb, options->fail_on, options->quiet);
  verb->callback([options, &chosen] {
    if (options->measure && options->table.empty()) options->table = "namespaces";
    if (!options->library && !options->unknown_hosts && options->table.empty())
      throw CLI::RequiredError("--table, --measure, --library or --unknown-hosts");
    if (options->unknown_hosts && options->shape == Shape::Yaml)
      throw CLI::ValidationError("--output", "--unknown-hosts has no yaml: nothing is fitted");
    if (options->library) options->predict = true;
    chosen = [options] { return run(*options); };
  });
}

}  // namespace overlane::command
