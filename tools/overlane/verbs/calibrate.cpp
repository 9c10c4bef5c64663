#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/files.h"
#include "scenarios/calibrate/measure_table.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/calibration_text.h"

namespace overlane::command {
namespace {

using calibrate::CalibrationReport;

enum class Shape { Table, Json, Yaml, Markdown };

constexpr std::array kShapes = {
    Choice<Shape>{"table", Shape::Table}, Choice<Shape>{"json", Shape::Json},
    Choice<Shape>{"yaml", Shape::Yaml}, Choice<Shape>{"markdown", Shape::Markdown}};

struct CalibrateOptions {
  std::string table;
  std::string profile;
  bool predict = false;
  bool library = false;
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

/// The library's profile of the table's name, or the usual profile for other tables.
std::string predicting_profile(const calibrate::MeasurementTable& table) {
  const auto known = calibrate::library_tables();
  const bool is_known = std::ranges::find(known, table.name) != known.end();
  return is_known ? table.name : calibrate::kDefaultProfile;
}

/// The table with the figures of this machine, which are written to a file, too, if one is asked
/// for.
Result<calibrate::MeasurementTable, ExitCode> measured_here(const calibrate::MeasurementTable& plan,
                                                            const CalibrateOptions& options) {
  const Interrupt interrupt;
  const StatusLine line(!options.quiet && errors_are_seen());
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
  const std::string usual = options.predict ? predicting_profile(*table) : calibrate::kPriorProfile;
  auto prior = calibrate::load_profile(options.profile.empty() ? usual : options.profile);
  if (!prior) return fail(refuse(prior.error(), options.quiet));
  calibrate::HostModel model = calibrate::model_of(*prior);
  std::optional<calibrate::Fit> fit;
  std::optional<StepsLine> line(std::in_place, !options.quiet && errors_are_seen());
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
  auto report = calibrate::judge(*table, model, options.threads, show);
  line.reset();
  if (!report) return fail(internal(report.error()));
  report->fit = std::move(fit);
  return Calibration{*std::move(report), *std::move(prior)};
}

/// Predicts the library's tables of hosts with NICs by the models of its other hosts.
Result<std::vector<CalibrationReport>, ExitCode> predict_by_others(
    const std::vector<CalibrationReport>& reports, const CalibrateOptions& options) {
  std::vector<CalibrationReport> foreign;
  for (const CalibrationReport& report : reports) {
    if (!options.library || report.table.hosts.wire != cost::Wire::Nic) continue;
    const auto model = calibrate::model_of_others(report.table.name);
    if (!model) return fail(refuse(model.error(), options.quiet));
    auto predicted = calibrate::judge(report.table, *model, options.threads);
    if (!predicted) return fail(internal(predicted.error()));
    foreign.push_back(*std::move(predicted));
  }
  return foreign;
}

ExitCode write_usual(const CalibrateOptions& options) {
  const auto hosts = calibrate::fitted_hosts();
  const auto prior = calibrate::load_profile(calibrate::kPriorProfile);
  if (!hosts) return refuse(hosts.error(), options.quiet);
  if (!prior) return refuse(prior.error(), options.quiet);
  return write_text(options.output, calibrate::write_usual_profile(*hosts, *prior));
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
      const auto foreign = predict_by_others(reports, options);
      if (!foreign) return foreign.error();
      return write_text(options.output, fidelity_page(reports, *foreign));
    }
  }
  return ExitCode::Internal;
}

ExitCode run(const CalibrateOptions& options) {
  if (options.library && options.shape == Shape::Yaml) return write_usual(options);
  std::vector<std::string> names{options.table};
  if (options.library) names = calibrate::library_tables();
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

void add_calibrate(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb = program.add_subcommand(
      "calibrate", "Fit the costs of a host class to a table of published measurements");
  auto* table = verb->add_option("--table", options->table,
                                 "MeasurementTable: a file or the name of a library table")
                    ->type_name("FILE");
  auto* library = verb->add_flag("--library", options->library,
                                 "Predict all tables of the library with its profiles");
  library->excludes(table);
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
  verb->add_option("--profile", options->profile,
                   "Initial CostProfile: a file or the name of a library profile")
      ->type_name("FILE");
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
  verb->add_flag("--no-color", options->output.no_color, "Disable colors");
  verb->add_option("--threads", options->threads, "Number of threads; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_finding_options(*verb, options->fail_on, options->quiet);
  verb->callback([options, &chosen] {
    if (options->measure && options->table.empty()) options->table = "namespaces";
    if (!options->library && options->table.empty())
      throw CLI::RequiredError("--table, --measure or --library");
    if (options->library) options->predict = true;
    chosen = [options] { return run(*options); };
  });
}

}  // namespace overlane::command
