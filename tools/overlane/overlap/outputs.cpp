#include "tools/overlane/overlap/outputs.h"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/pages/document_page.h"
#include "results/report/formats/junit.h"
#include "results/report/formats/sarif.h"
#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/output.h"
#include "topologies/check/rule_book.h"
#include "topologies/overlap/map/svg.h"
#include "topologies/overlap/report/findings.h"
#include "topologies/overlap/report/overlap_document.h"

namespace overlane::command {

namespace {

/// Whether an unknown field may be a misspelled name of a network or a range. Other unknown fields
/// come from newer releases of Gardener and are irrelevant here.
bool may_hide_overlaps(const Finding& finding) {
  if (finding.rule == "no-free-range" || finding.rule == "network-not-modelled") return true;
  if (finding.rule != "unknown-field") return false;
  return finding.path.find("spec.networking.") != std::string::npos ||
         finding.path.find(".infrastructureConfig.") != std::string::npos ||
         finding.hint.starts_with("did you mean ");
}

}  // namespace

void print_overlap_findings(const Findings& findings, bool quiet, Severity fail_on) {
  constexpr std::size_t kMaxShown = 10;
  print_findings(findings, quiet, fail_on);
  if (!quiet) return;
  Findings shown;
  std::size_t more = 0;
  for (const Finding& finding : findings) {
    if (finding.severity >= fail_on || !may_hide_overlaps(finding)) continue;
    if (shown.size() < kMaxShown)
      shown.push_back(finding);
    else
      ++more;
  }
  print_findings(shown, false);
  if (more > 0)
    print_aside(
        fmt::format("… and {} like these that may hide overlaps; run without --quiet to show "
                    "all\n",
                    counted(more, "more finding")));
}

namespace {

ExitCode write_sarif(const report::FindingSet& set, const OverlapOptions& options) {
  const report::SarifOptions sarif{.version = this_environment().overlane_version,
                                   .rules_url = "",
                                   .root = std::filesystem::current_path().string()};
  return write_json(options.sarif,
                    report::encode_sarif(set, check::RuleBook().sarif_rules(), sarif));
}

}  // namespace

ExitCode write_files(const overlap::Analysis& analysis, const OverlapOptions& options) {
  ExitCode code = ExitCode::Clean;
  if (!options.svg.empty()) code = write_text(options.svg, draw_map(analysis.address_map()));
  if (code == ExitCode::Clean && !options.html.empty())
    code = write_text(options.html, pages::document_page(overlap_document(
                                        analysis.report, document_options(options))));
  if (options.sarif.empty() && options.junit.empty()) return code;
  const Findings findings = findings_of(analysis.report);
  report::FindingSet set{.verb = "overlap", .findings = findings};
  for (const overlap::Shoot& shoot : analysis.comparison.inventory.shoots)
    set.subjects.push_back(shoot.object.qualified());
  if (code == ExitCode::Clean && !options.sarif.empty()) code = write_sarif(set, options);
  if (code == ExitCode::Clean && !options.junit.empty())
    code = write_text(options.junit, report::encode_junit(set, options.input.fail_on));
  return code;
}

}  // namespace overlane::command
