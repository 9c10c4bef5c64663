#include "tools/overlane/cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/answer/document.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "scenarios/migration/inputs/request.h"
#include "scenarios/spec/optional_fields.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "topologies/document/fields/fields.h"
#include "topologies/library/library.h"

namespace overlane::command {

void add_word(CLI::App& verb, const std::string& names, const std::vector<std::string_view>& words,
              std::function<void(std::size_t)> choose, const std::string& what) {
  const auto take = [&verb, names, words, choose = std::move(choose)](const std::string& word) {
    const auto at = std::ranges::find(words, word);
    if (at == words.end()) {
      const std::string option = "--" + word;  // For example --sarif instead of -o sarif.
      throw CLI::ValidationError(
          names, fmt::format("\"{}\" is not supported; {}choose one of {}{}", word,
                             document::correction(word, words), fmt::join(words, ", "),
                             verb.get_option_no_throw(option) == nullptr
                                 ? ""
                                 : fmt::format(", or give {} FILE", option)));
    }
    choose(static_cast<std::size_t>(at - words.begin()));
  };
  verb.add_option_function<std::string>(names, take, what)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

namespace {

constexpr const char* kSuggestions = "suggestions";

}  // namespace

// CLI11 has no place for the words of an option but its checks. An inactive one has no effect.
void suggest(CLI::Option* option, std::function<std::vector<std::string>()> words) {
  const auto lines = [words = std::move(words)](const std::string&) {
    return fmt::format("{}", fmt::join(words(), "\n"));
  };
  option->check(CLI::Validator(lines, "", kSuggestions).active(false), kSuggestions);
}

std::vector<std::string> suggestions_of(CLI::Option& option) {
  std::vector<std::string> all;
  try {
    for (int i = 0;; ++i) {
      CLI::Validator check = *option.get_validator(i);
      if (check.get_name() != kSuggestions) continue;
      for (std::string& word : CLI::detail::split(check.active()(""), '\n'))
        if (!word.empty()) all.push_back(std::move(word));
    }
  } catch (const CLI::OptionNotFound&) {
    return all;  // There are no more checks.
  }
}

namespace {

constexpr std::array kFormats = {Choice<Format>{"table", Format::Table},
                                 Choice<Format>{"json", Format::Json}};

constexpr std::array kRecordFormats = {Choice<Format>{"table", Format::Table},
                                       Choice<Format>{"json", Format::Json},
                                       Choice<Format>{"jsonl", Format::JsonLines}};

constexpr std::array kRowFormats = {Choice<Format>{"table", Format::Table},
                                    Choice<Format>{"json", Format::Json},
                                    Choice<Format>{"csv", Format::Csv}};

constexpr std::array kReportFormats = {
    Choice<Format>{"table", Format::Table}, Choice<Format>{"json", Format::Json},
    Choice<Format>{"csv", Format::Csv}, Choice<Format>{"markdown", Format::Markdown}};

constexpr std::array kStages = {Choice<derive::StageChoice>{"auto", derive::StageChoice::Auto},
                                Choice<derive::StageChoice>{"create", derive::StageChoice::Create},
                                Choice<derive::StageChoice>{"live", derive::StageChoice::Live}};

constexpr std::array kSeverities = {Choice<Severity>{"error", Severity::Error},
                                    Choice<Severity>{"warning", Severity::Warning},
                                    Choice<Severity>{"note", Severity::Note}};

}  // namespace

void add_output_options(CLI::App& verb, OutputOptions& options, ResultShape shape) {
  constexpr const char* kNames = "-o,--output";
  constexpr const char* kWhat = "Output format";
  switch (shape) {
    case ResultShape::Document:
      add_choice(verb, kNames, options.format, kFormats, kWhat);
      break;
    case ResultShape::Records:
      add_choice(verb, kNames, options.format, kRecordFormats, kWhat);
      break;
    case ResultShape::Rows:
      add_choice(verb, kNames, options.format, kRowFormats, kWhat);
      break;
    case ResultShape::Report:
      add_choice(verb, kNames, options.format, kReportFormats, kWhat);
      break;
  }
  verb.add_option("--out", options.file, "Write the result to this file")->type_name("FILE");
  add_colour_options(verb);
}

void add_colour_options(CLI::App& verb) {
  add_word(
      verb, "--color", {"auto", "always", "never"},
      [](std::size_t i) { choose_colour(static_cast<ColourChoice>(i)); },
      "Use colors (default: on a terminal, unless NO_COLOR is set)");
  verb.add_flag_callback(
      "--no-color", [] { choose_colour(ColourChoice::Never); }, "Same as --color never");
}

void add_json_option(CLI::App& verb, OutputOptions& options) {
  const auto is_stream = [](const std::string& file) {
    return file == "-" ? "give -o json for JSON on standard output" : "";
  };
  verb.add_option("--json", options.json_file, "Also write the result as JSON to this file")
      ->type_name("FILE")
      ->check(CLI::Validator(is_stream, ""));
}

void add_finding_options(CLI::App& verb, Severity& fail_on, bool& quiet, const char* quiet_means) {
  add_choice(verb, "--fail-on", fail_on, kSeverities,
             "Exit 1 on findings at or above this severity");
  verb.add_flag("--quiet", quiet, quiet_means);
}

void refuse_two_results(const OutputOptions& options, const std::vector<std::string>& files) {
  const bool is_file = !options.file.empty() && options.file != "-";
  if (options.format == Format::Table || is_file || std::ranges::find(files, "-") == files.end())
    return;
  throw CLI::ValidationError("--output",
                             "two results would be written to standard output; give --out FILE");
}

std::string too_long(const std::string& number) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc::result_out_of_range ? number + " is too large a number" : "";
}

std::string no_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? "" : path + " is not a folder";
}

namespace {

/// Adds a row per setting. The values and the default have columns of their own, and the meaning a
/// line of its own.
template <typename Settings>
void add_settings(answer::Document& document, std::string title, std::string values,
                  const Settings& settings) {
  answer::Table table{
      .title = std::move(title),
      .columns = {{std::move(values), answer::Align::Left}, {"default", answer::Align::Left}},
      .rows = {}};
  for (const auto& setting : settings)
    table.rows.push_back({.label = setting.key,
                          .cells = {{.text = setting.value}, {.text = setting.default_value}},
                          .explanation = setting.meaning});
  document.sections.push_back({.heading = "", .blocks = {std::move(table)}});
}

/// Prints the keys of --set and ends the program.
[[noreturn]] void list_settings(const InputOptions& options) {
  answer::Document document;
  add_settings(document, "--set landscape.KEY=VALUE", "values", effective::landscape_settings());
  if (options.takes_migration_settings)
    add_settings(document, "--set migration.KEY=VALUE", "values, or plausible durations",
                 migration::migration_settings());
  throw CLI::RuntimeError(static_cast<int>(write_text("", report::document_text(document, {}))));
}

}  // namespace

namespace {

/// Assignments for --set; without a value if a setting has no fixed words.
template <typename Settings>
void add_assignments(std::vector<std::string>& words, std::string_view prefix,
                     const Settings& settings) {
  for (const auto& setting : settings) {
    const bool has_words = setting.value.find('|') != setting.value.npos;
    for (const std::string& value : CLI::detail::split(has_words ? setting.value : "", '|'))
      words.push_back(fmt::format("{}.{}={}", prefix, setting.key, value));
  }
}

std::vector<std::string> assignments_of(bool with_migration) {
  std::vector<std::string> words{"list"};
  add_assignments(words, "landscape", effective::landscape_settings());
  if (with_migration) add_assignments(words, "migration", migration::migration_settings());
  return words;
}

}  // namespace

void add_manifest_options(CLI::App& verb, InputOptions& options) {
  suggest(
      verb.add_option("PATH", options.paths, "YAML or JSON files, folders, or - for standard input")
          ->type_name("")
          ->required(),
      &topology_library::manifest_names);
  add_choice(verb, "--stage", options.derive.stage, kStages,
             "Treat objects as new or as live; auto decides for each object");
  verb.add_option_function<std::string>(
          "--calico-version",
          [&options](const std::string& word) {
            const auto version = effective::CalicoVersion::parse(word);
            if (!version)
              throw CLI::ValidationError("--calico-version",
                                         fmt::format("\"{}\" is not like 3.31", word));
            options.derive.landscape.calico_version = version;
          },
          "Calico version to assume (default 3.31)")
      ->type_name("X.Y");
  CLI::Option* set =
      verb.add_option_function<std::vector<std::string>>(
              "--set",
              [&options](const std::vector<std::string>& assignments) {
                constexpr std::string_view kMigration = "migration.";
                for (const std::string& assignment : assignments) {
                  if (assignment == "list") list_settings(options);
                  if (options.takes_migration_settings && assignment.starts_with(kMigration)) {
                    options.migration_settings.push_back(assignment.substr(kMigration.size()));
                    continue;
                  }
                  const auto settings = migration::migration_settings();
                  const std::string key = assignment.substr(0, assignment.find('='));
                  if (std::ranges::find(settings, key, &migration::MigrationSetting::key) !=
                      settings.end())
                    throw CLI::ValidationError(
                        "--set", options.takes_migration_settings
                                     ? fmt::format("\"{0}\" has no prefix; did you mean "
                                                   "migration.{0}?",
                                                   assignment)
                                     : fmt::format("\"{}\" is a setting of migrate", key));
                  auto& landscape = options.derive.landscape;
                  const auto changed = effective::with_setting(landscape, assignment);
                  if (!changed) throw CLI::ValidationError("--set", changed.error());
                  landscape = *changed;
                }
              },
              fmt::format("Setting of the landscape{}, for example "
                          "landscape.openstack.calico-overlay=false; --set list prints all keys "
                          "and exits",
                          options.takes_migration_settings ? " or of the switch" : ""))
          ->type_name(options.takes_migration_settings ? "landscape.KEY=VALUE|migration.KEY=VALUE"
                                                       : "landscape.KEY=VALUE")
          ->allow_extra_args(false);
  suggest(set, [with_migration = options.takes_migration_settings] {
    return assignments_of(with_migration);
  });
}

void add_seed_option(CLI::App& verb, InputOptions& options) {
  verb.add_option("--seed", options.seed, "Seed of every random stream")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->check(CLI::Validator(too_long, ""));
}

CLI::Option* add_nodes_option(CLI::App& verb, std::optional<std::uint32_t>& nodes,
                              std::uint32_t least, std::uint32_t most) {
  return verb.add_option("--nodes", nodes, "Number of nodes (default: the minimum of the workers)")
      ->type_name("N")
      ->check(CLI::Range(least, most));
}

CLI::Option* add_time_option(CLI::App& verb, const std::string& name, Picos& time,
                             const std::string& what, const TimeRange& range) {
  const auto take = [&time, name, range](const std::string& text) {
    const auto parsed =
        spec::parse_duration_in(range.unit, text, std::max(range.max, spec::kMaxDuration));
    if (!parsed) throw CLI::ValidationError(name, parsed.error());
    if (*parsed < range.min || *parsed > range.max)
      throw CLI::ValidationError(
          name, fmt::format("{} to {}", report::duration_text(range.min.whole_nanoseconds()),
                            report::duration_text(range.max.whole_nanoseconds())));
    time = *parsed;
  };
  return verb.add_option_function<std::string>(name, take, what)->type_name("TIME");
}

void add_input_options(CLI::App& verb, InputOptions& options) {
  add_manifest_options(verb, options);
  verb.add_option("--threads", options.threads, "Number of threads; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_finding_options(verb, options.fail_on, options.quiet);
}

namespace {

/// Adds an option whose percentage is stored as a ratio. load_search::check() checks its range.
CLI::Option* add_percent(CLI::App& verb, const std::string& name, double& ratio,
                         const std::string& what) {
  return verb
      .add_option_function<double>(
          name, [&ratio](double percent) { ratio = percent / 100; }, what)
      ->type_name("PERCENT");
}

}  // namespace

void add_search_options(CLI::App& verb, SearchOptions& options) {
  verb.add_option_function<std::vector<double>>(
          "--loss",
          [&options](const std::vector<double>& percents) {
            options.goals.loss_ratios.clear();
            for (const double percent : percents)
              options.goals.loss_ratios.push_back(percent / 100);
          },
          "Goals: the largest share of packets that a trial may lose; 0 is NDR and 0.5 is PDR "
          "(default: 0,0.5)")
      ->type_name("PERCENT[,PERCENT...]")
      ->delimiter(',');
  add_percent(verb, "--exceed", options.goals.exceed_ratio,
              "The share of trials at a load that may lose more (default: 50)");
  add_percent(verb, "--width", options.goals.width,
              "Distance of the two loads that a result is between (default: 0.5)");
  add_time_option(verb, "--trial", options.goals.trial,
                  fmt::format("Duration of a trial (default: {}ms)",
                              options.goals.trial.whole_nanoseconds() / 1'000'000));
  for (const auto& [name, load, what] :
       {std::tuple{"--min", &options.min, "The smallest load to try, in packets per second"},
        std::tuple{"--max", &options.max, "The largest load to try, in packets per second"}}) {
    verb.add_option(name, *load, what)
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, INT64_MAX))
        ->check(CLI::Validator(too_long, ""));
  }
}

namespace {

/// CLI11's formatter with wrapped lines.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return entry(verb->get_display_name(true), verb->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return report::wrapped("", app->get_description(), report::terminal_width());
  }

 private:
  /// Allows line breaks within a list of words that is longer than a line.
  static std::string breakable(std::string_view name, std::size_t width) {
    std::string text(name);
    if (report::display_width(text) + 2 <= width) return text;
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at + 1, " ");
    return text;
  }

  /// A name, and its meaning in a second column.
  static std::string entry(std::string_view name, std::string_view meaning) {
    const std::size_t width = report::terminal_width();
    const std::size_t column = width < 60 ? 12 : 30;
    std::string left = fmt::format("  {}", name);
    if (report::display_width(left) + 2 <= column)
      return report::wrapped(fmt::format("{:{}}", left, column), meaning, width);
    return report::wrapped("  ", breakable(name, width), width) +
           report::wrapped(std::string(column, ' '), meaning, width);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

std::string exit_code_help() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeFacts& facts : kExitCodes)
    text += report::wrapped(fmt::format("  {:<4}", static_cast<int>(facts.code)), facts.meaning,
                            report::terminal_width());
  text.pop_back();  // CLI11 ends a footer with a newline.
  return text;
}

void add_to_footer(CLI::App& verb, std::string_view text) {
  std::string footer = report::wrapped("", text, report::terminal_width());
  if (!verb.get_footer().empty())
    footer += '\n' + verb.get_footer();
  else
    footer.pop_back();
  verb.footer(footer);
}

document::Stream read_all(const std::vector<std::string>& paths, unsigned threads,
                          StepsLine* line) {
  constexpr std::uint64_t kMegabyte = 1'000'000;
  const auto show = [line](std::uint64_t bytes, std::uint64_t of) {
    if (line != nullptr) line->advance(bytes / kMegabyte, of / kMegabyte);
  };
  document::Stream all;
  bool input_read = false;
  for (const std::string& path : paths) {
    if (path == "-" && std::exchange(input_read, true)) {
      all.findings.push_back({.rule = "unreadable-file",
                              .message = "standard input is given twice and can be read once",
                              .place = {"<stdin>", 0, 0},
                              .hint = "give - once"});
      continue;
    }
    if (line != nullptr) line->begin("reading", "MB");
    Result<document::Stream> stream = topology_library::read_manifests(path, threads, show);
    if (stream) {
      all.append(std::move(*stream));
    } else {
      all.findings.push_back(std::move(stream.error()));
    }
  }
  return all;
}

}  // namespace overlane::command
