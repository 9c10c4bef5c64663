#include <utility>

#include <fmt/format.h>

#include "scenarios/calibrate/figure_text.h"
#include "tools/overlane/calibrate/text.h"

namespace overlane::command {
namespace {

using calibrate::CalibrationReport;
using calibrate::Found;
using calibrate::Row;
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

void add_row(ColumnTable& table, const Row& row, const calibrate::RowResult& result) {
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
      const Row& row = report.table.rows[result.row];
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
    const Row& row = report.table.rows[ratio.row];
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

}  // namespace overlane::command
