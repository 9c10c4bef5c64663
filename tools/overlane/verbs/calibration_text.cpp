#include "tools/overlane/verbs/calibration_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/files.h"

namespace overlane::command {

namespace {

using calibrate::CalibrationReport;
using calibrate::Found;
using calibrate::MeasurementRow;
using report::ColumnTable;

std::vector<std::string> found_cells(const Found* found, std::string value) {
  if (found == nullptr) return {std::move(value), "", ""};
  if (!found->identified) return {std::move(value), "", "not identified"};
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
  for (const auto& [kernel, scale] : report.model.kernels) {
    const Found* found = nullptr;
    for (std::size_t k = 0; report.fit && k < report.fit->kernels.size(); ++k)
      if (report.fit->kernels[k] == kernel) found = &report.fit->kernel_scales[k];
    table.row(fmt::format("  kernel {}: times everything", kernel),
              found_cells(found, fmt::format("{:.3g}", scale)));
  }
  return table.to_string(style);
}

void add_row(ColumnTable& table, const MeasurementRow& row, const calibrate::RowResult& result) {
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const calibrate::Figure& figure = row.figures[f];
    const double predicted = result.predicted[f];
    table.row(
        f == 0 ? fmt::format("  {}: {}", load_of(row), to_string(figure.quantity))
               : fmt::format("    {}", to_string(figure.quantity)),
        {figure_text(figure.quantity, figure.value), figure_text(figure.quantity, predicted),
         calibrate::error_text(error_of(figure, predicted)), std::string(to_string(row.use))});
  }
}

/// By system.
std::string rows(const CalibrationReport& report, report::Style style) {
  ColumnTable table({"measured", "predicted", "error", "use"});
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

}  // namespace

std::string calibration_table(const CalibrationReport& report, report::Style style) {
  return constants(report, style) + "\n" + rows(report, style) + "\n" + judgement(report, style);
}

namespace {

using calibrate::Use;

constexpr std::string_view kIntroduction = R"(# Fidelity

What the packet engine predicts for published measurements, beside what was measured. Every prediction is a run
of the engine on two nodes with the states of that encapsulation and MTU; its costs are the library's profile
of the table's name, which `overlane calibrate` fitted to the rows marked *fit* ([calibration.md](calibration.md)).
Rows marked *check* were not used. Written by `tools/write-docs`; a test holds the figures here.

Errors are predicted over measured, less 1; margins are means of their absolute values. CPU loads, which are
shares of all hardware threads, are shown and held to no margin.
)";

constexpr std::string_view kGeneralisation = R"(
## What was not fitted

How far predictions of rows are off that differ from all fitted ones of their table, by the first in which they do. *Other
hosts*: all rows of the table, predicted by the mean of the library's other hosts with NICs and a latency of 5 µs, as
`linux-server` predicts hosts that were never measured. These are held to no margin: hosts differ by that much.

| table | what is new | figures | number | mean error |
|---|---|---|---|---|
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

std::string generalisation(const std::vector<CalibrationReport>& reports,
                           const std::vector<CalibrationReport>& foreign) {
  std::string text(kGeneralisation);
  const auto add = [&](const CalibrationReport& report, bool is_foreign) {
    for (const calibrate::Generalisation& entry : generalise(report, is_foreign)) {
      text += fmt::format("| {} | {} | {} | {} | {:.1f} % |\n", report.table.name,
                          to_string(entry.novelty), to_string(entry.kind), entry.figures,
                          100 * entry.mean_error);
    }
  };
  for (const CalibrationReport& report : reports)
    add(report, false);
  for (const CalibrationReport& report : foreign)
    add(report, true);
  return text;
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

}  // namespace

std::string fidelity_page(const std::vector<CalibrationReport>& reports,
                          const std::vector<CalibrationReport>& foreign) {
  std::string text(kIntroduction);
  text += summary(reports) + generalisation(reports, foreign);
  for (const CalibrationReport& report : reports) {
    text += fmt::format("\n## {}\n\n{}. Source: {}.\n", report.table.name, report.table.description,
                        report.table.source);
    text += constants(report) + rows(report) + ratios(report) + order(report) + left_out(report);
  }
  return text;
}

}  // namespace overlane::command
