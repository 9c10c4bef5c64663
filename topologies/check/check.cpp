#include "topologies/check/check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/counted.h"
#include "results/finding/finding_json.h"
#include "topologies/check/judge.h"
#include "topologies/derive/derive.h"
#include "topologies/domains/merge.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::check {

std::size_t CheckReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

CheckReport check(const document::Stream& stream, const CheckOptions& options) {
  document::Stream manifests = stream;
  const Choice choice(manifests, options.selection);
  derive::DeriveOptions derive = choice.overlooking(options.derive);
  derive::take_network_providers(manifests, derive.declarative);
  const manifest::ManifestSet set = manifest::decode(manifests, manifest::Detail::All);

  CheckReport report{.shoots = {}, .findings = set.findings, .updates = {}, .silenced = {}};
  for (const manifest::PodNetworkSpec& spec : set.clusters) {
    report.shoots.push_back({spec.object, spec.place});
    append(judge(spec, set.findings, derive), report.findings);
  }
  for (const manifest::PodNetworkSpec& fragment : set.fragments)
    append(derive::judge_config(fragment, derive), report.findings);
  append(domains::judge(manifests), report.findings);
  finish(report, manifests, choice);
  return report;
}

std::string summary(const CheckReport& report) {
  std::string text = counted(report.shoots.size(), "shoot");
  if (report.updates) text += fmt::format(", {} of them updated", *report.updates);
  if (report.compared)
    text += fmt::format(", compared with {}", counted(*report.compared, "object"));
  text += fmt::format(", {}, {}", counted(report.count(Severity::Error), "error"),
                      counted(report.count(Severity::Warning), "warning"));
  if (const std::size_t notes = report.count(Severity::Note)) text += ", " + counted(notes, "note");
  if (!report.silenced.empty())
    text += fmt::format(", {} silenced by annotations", report.silenced.size());
  if (report.judged_in_part > 0)
    text += fmt::format(", {} judged only in part", counted(report.judged_in_part, "object"));
  if (report.left_out > 0)
    text += fmt::format(", {} left out", counted(report.left_out, "document"));
  return text;
}

answer::Document check_document(const CheckReport& report) {
  const bool has_errors = report.count(Severity::Error) > 0;
  const bool has_doubts = report.count(Severity::Warning) + report.judged_in_part > 0;
  answer::Section result{.heading = "",
                         .blocks = {answer::Paragraph{.tone = has_errors   ? answer::Tone::Bad
                                                              : has_doubts ? answer::Tone::Warning
                                                                           : answer::Tone::Good,
                                                      .label = "result",
                                                      .text = summary(report)}}};
  answer::Section findings = answer::remarks(report.findings);
  findings.heading = "findings";
  answer::Section silenced = answer::remarks(report.silenced);
  silenced.heading = "silenced by annotations";
  answer::Document document{
      .title = "Check of " + counted(report.shoots.size(), "shoot"),
      .sections = {std::move(result), std::move(findings), std::move(silenced)}};
  std::erase_if(document.sections,
                [](const answer::Section& section) { return section.blocks.empty(); });
  return document;
}

report::FindingSet finding_set(const CheckReport& report) {
  report::FindingSet set{
      .verb = "check", .findings = report.findings, .suppressed = report.silenced};
  for (const CheckReport::Shoot& shoot : report.shoots)
    set.subjects.push_back(shoot.name.qualified());
  return set;
}

nlohmann::ordered_json encode(const CheckReport& report) {
  nlohmann::ordered_json summary{{"shoots", report.shoots.size()},
                                 {"errors", report.count(Severity::Error)},
                                 {"warnings", report.count(Severity::Warning)},
                                 {"notes", report.count(Severity::Note)},
                                 {"silenced", report.silenced.size()},
                                 {"judged_in_part", report.judged_in_part},
                                 {"left_out", report.left_out}};
  if (report.updates) summary["updates"] = *report.updates;
  if (report.compared) summary["compared"] = *report.compared;
  return {{"schema_version", 1},
          {"kind", "CheckReport"},
          {"findings", overlane::encode(report.findings)},
          {"silenced", overlane::encode(report.silenced)},
          {"summary", std::move(summary)}};
}

}  // namespace overlane::check
