#include "tools/overlane/overlap/diagnostics.h"

#include <string_view>

#include <fmt/format.h>

#include "results/base/text.h"
#include "tools/overlane/cli/output.h"

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

}  // namespace overlane::command
