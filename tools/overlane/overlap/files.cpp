#include "tools/overlane/overlap/files.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/output.h"
#include "topologies/check/junit.h"
#include "topologies/check/sarif.h"
#include "topologies/overlap/map/svg.h"
#include "topologies/overlap/report/findings.h"

namespace overlane::command {
namespace {

/// The domain that is asked for, or that of the worst overlap; without any the one with most
/// shoots.
std::string domain_to_draw(const overlap::OverlapReport& report,
                           const overlap::RoutingScopes& routing_scopes,
                           const OverlapOptions& options) {
  if (!options.domain.empty()) return options.domain;
  if (!report.overlaps.empty()) return report.overlaps.front().routing_domain;
  if (routing_scopes.domains.empty()) return "";
  const auto shoots = [](const overlap::Domain& domain) { return domain.shoots.size(); };
  return std::ranges::max_element(routing_scopes.domains, {}, shoots)->key;
}

ExitCode write_sarif(const check::Found& found, const OverlapOptions& options) {
  const check::SarifOptions sarif{.version = this_environment().overlane_version,
                                  .rules_url = "",
                                  .root = std::filesystem::current_path().string()};
  return write_json(options.sarif, check::encode_sarif(found, check::RuleBook(), sarif));
}

}  // namespace

ExitCode write_files(const overlap::OverlapReport& report, const Compared& compared,
                     const OverlapOptions& options) {
  ExitCode code = ExitCode::Clean;
  if (!options.svg.empty()) {
    const std::string domain = domain_to_draw(report, compared.routing_scopes, options);
    code =
        write_text(options.svg, draw_map(map_addresses(compared.inventory, compared.routing_scopes,
                                                       compared.comparison_scopes, domain)));
  }
  if (options.sarif.empty() && options.junit.empty()) return code;
  const Findings findings = findings_of(report);
  check::Found found{.verb = "overlap", .findings = findings};
  for (const overlap::Shoot& shoot : compared.inventory.shoots)
    found.subjects.push_back(shoot.object.qualified());
  if (code == ExitCode::Clean && !options.sarif.empty()) code = write_sarif(found, options);
  if (code == ExitCode::Clean && !options.junit.empty())
    code = write_text(options.junit, check::encode_junit(found, options.input.fail_on));
  return code;
}

}  // namespace overlane::command
