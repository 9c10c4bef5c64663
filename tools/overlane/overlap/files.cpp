#include "tools/overlane/overlap/files.h"

#include <filesystem>

#include <nlohmann/json.hpp>

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
