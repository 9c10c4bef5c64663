#include "topologies/check/check.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/csv.h"
#include "results/report/document_text.h"
#include "results/report/formats/findings.h"
#include "results/report/text.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"
#include "topologies/check/rule_book.h"

namespace overlane::command {
namespace {

struct CheckVerb {
  InputOptions input;
  OutputOptions output;
  check::Selection selection;
  std::vector<std::string> live;    ///< Files with objects of the shoot's cluster.
  std::string shoot;                ///< The shoot to compare with `live`.
  std::vector<std::string> update;  ///< Empty, or the old and the new manifests.
  std::string sarif;
  std::string junit;
  std::string html;
  std::string rules_url;
  bool list_rules = false;
  std::string explained_rule;

  bool asks_for_rules() const { return list_rules || !explained_rule.empty(); }
};

/// The counts and the findings as text; with --quiet only the findings that determine the exit
/// code.
std::string print(const check::CheckReport& report, const InputOptions& options,
                  report::Style style) {
  std::string text = options.quiet ? "" : fmt::format("result: {}\n", check::summary(report));
  for (const Finding& finding : report.findings)
    if (!options.quiet || finding.severity >= options.fail_on)
      text += finding_text(finding, report::terminal_width(), style);
  return text;
}

ExitCode write_sarif(const check::CheckReport& report, const CheckVerb& options) {
  const report::SarifOptions sarif{.version = this_environment().overlane_version,
                                   .rules_url = options.rules_url,
                                   .root = std::filesystem::current_path().string()};
  return write_json(options.sarif, report::encode_sarif(finding_set(report),
                                                        check::RuleBook().sarif_rules(), sarif));
}

/// Writes the report and the requested files. Stops at the first failure.
ExitCode write(const check::CheckReport& report, const CheckVerb& options) {
  if (!options.sarif.empty())
    if (const ExitCode code = write_sarif(report, options); code != ExitCode::Clean) return code;
  if (!options.junit.empty()) {
    const ExitCode code =
        write_text(options.junit, report::encode_junit(finding_set(report), options.input.fail_on));
    if (code != ExitCode::Clean) return code;
  }
  if (!options.html.empty()) {
    const ExitCode code =
        write_text(options.html, pages::document_page(check::check_document(report)));
    if (code != ExitCode::Clean) return code;
  }
  const ExitCode code = write_json_beside(options.output, [&] { return encode(report); });
  if (code != ExitCode::Clean) return code;
  if (options.output.format == Format::Json) return write_json(options.output, encode(report));
  if (options.output.format == Format::Csv)
    return write_text(options.output, report::rows_csv(encode(report)["findings"]));
  if (options.output.format == Format::Markdown)
    return write_text(options.output, report::document_markdown(check::check_document(report)));
  return write_text_beside(options.output, {options.sarif, options.junit, options.html},
                           print(report, options.input, output_style(options.output)));
}

Parsed<check::CheckReport> judge(const CheckVerb& options) {
  const check::CheckOptions check{options.input.derive, options.selection};
  const unsigned threads = options.input.threads;
  StepsLine line(!options.input.quiet && stderr_is_terminal());
  if (!options.update.empty())
    return check::check_update(read_all({options.update[0]}, threads),
                               read_all({options.update[1]}, threads), check);
  const document::Stream manifests = read_all(options.input.paths, threads, &line);
  line.begin("checking", "");
  if (options.live.empty()) return check::check(manifests, check);
  return check::check_live(manifests, read_all(options.live, threads), options.shoot, check);
}

/// Whether no object was checked.
bool is_empty(const check::CheckReport& report) {
  return report.shoots.empty() || report.updates == 0u || report.compared == 0u;
}

ExitCode run_check(const CheckVerb& options) {
  const Parsed<check::CheckReport> judged = judge(options);
  if (!judged) {
    print_error(judged.error());
    return ExitCode::Usage;
  }
  const check::CheckReport& report = *judged;
  const ExitCode written = write(report, options);
  if (written != ExitCode::Clean) return written;
  if (is_empty(report)) return ExitCode::NoInput;
  if (report.judged_in_part > 0) return ExitCode::Finding;
  return any_at_or_above(report.findings, options.input.fail_on) ? ExitCode::Finding
                                                                 : ExitCode::Clean;
}

ExitCode print_rules(const CheckVerb& options) {
  const check::RuleBook book;
  if (options.list_rules) return write_text(options.output, check::list_rules(book));
  return write_text(options.output, check::explain_rule(*book.find(options.explained_rule)));
}

std::vector<std::string> rule_ids() {
  const check::RuleBook book;
  std::vector<std::string> ids;
  for (const rules::Rule* rule : book.rules())
    ids.emplace_back(rule->id);
  return ids;
}

void add_rules(CLI::App& verb, const std::string& name, std::vector<std::string>& ids,
               const std::string& what) {
  suggest(
      verb.add_option(name, ids, what)->type_name("ID")->allow_extra_args(false)->delimiter(','),
      rule_ids);
}

void require_rules(const std::string& option, const std::vector<std::string>& ids) {
  const check::RuleBook book;
  for (const std::string& id : ids)
    if (book.find(id) == nullptr) throw CLI::ValidationError(option, book.unknown(id));
}

void add_rule_options(CLI::App& verb, CheckVerb& options) {
  add_rules(verb, "--rule", options.selection.only, "Report only findings of this rule");
  add_rules(verb, "--ignore", options.selection.ignored, "Ignore findings of this rule");
  verb.add_flag("--list-rules", options.list_rules, "List all rules and exit");
  suggest(verb.add_option("--explain-rule", options.explained_rule, "Explain a rule and exit")
              ->type_name("ID"),
          rule_ids);
}

void add_comparison_options(CLI::App& verb, CheckVerb& options) {
  verb.add_option("--update", options.update, "Check the update from the OLD to the NEW manifests")
      ->type_name("OLD NEW")
      ->expected(2)
      ->excludes("PATH");
  CLI::Option* live = verb.add_option("--live", options.live,
                                      "Compare the shoot with the Nodes, IPPools and settings of "
                                      "its cluster (output of kubectl)")
                          ->type_name("FILE")
                          ->allow_extra_args(false)
                          ->delimiter(',')
                          ->excludes("--update");
  verb.add_option("--shoot", options.shoot,
                  "The shoot that --live belongs to, if the manifests have several")
      ->type_name("NS/NAME")
      ->needs(live);
}

void add_report_options(CLI::App& verb, CheckVerb& options) {
  verb.add_option("--sarif", options.sarif, "Also write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  verb.add_option("--junit", options.junit, "Also write the findings as JUnit XML")
      ->type_name("FILE");
  verb.add_option("--html", options.html, "Also write the findings as one HTML page")
      ->type_name("FILE");
  verb.add_option("--rules-url", options.rules_url,
                  "URL of the published docs/reference/rules.md, for links in the SARIF file")
      ->type_name("URL");
}

}  // namespace

void add_check(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<CheckVerb>();
  add_manifest_options(*verb, options->input);
  verb->get_option("PATH")->required(false);
  add_output_options(*verb, options->output, ResultShape::Report);
  add_json_option(*verb, options->output);
  add_finding_options(*verb, options->input.fail_on, options->input.quiet,
                      "Print only findings at or above --fail-on, without the summary");
  add_comparison_options(*verb, *options);
  add_rule_options(*verb, *options);
  add_report_options(*verb, *options);
  add_to_footer(
      *verb,
      "An object silences rules for itself by the annotation overlane.dev/ignore: \"rule-a, "
      "rule-b\".");
  verb->callback([options, &chosen] {
    require_rules("--rule", options->selection.only);
    require_rules("--ignore", options->selection.ignored);
    if (!options->explained_rule.empty())
      require_rules("--explain-rule", {options->explained_rule});
    refuse_two_results(options->output, {options->sarif, options->junit, options->html});
    if (options->input.paths.empty() && options->update.empty() && !options->asks_for_rules())
      throw CLI::RequiredError("PATH");
    chosen = [options] {
      return options->asks_for_rules() ? print_rules(*options) : run_check(*options);
    };
  });
}

}  // namespace overlane::command
