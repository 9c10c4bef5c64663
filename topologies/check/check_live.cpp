#include <utility>

#include <fmt/format.h>

#include "topologies/check/judge.h"
#include "topologies/derive/derive.h"
#include "topologies/live/live.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::check {
namespace {

using manifest::PodNetworkSpec;

/// The shoots that the name means; all of them without one.
std::vector<const PodNetworkSpec*> meant(const manifest::ManifestSet& set,
                                         const std::string& shoot) {
  std::vector<const PodNetworkSpec*> specs;
  for (const PodNetworkSpec& spec : set.clusters)
    if (shoot.empty() || spec.object.qualified() == shoot) specs.push_back(&spec);
  return specs;
}

}  // namespace

Parsed<CheckReport> check_live(const document::Stream& stream, const document::Stream& observed,
                               const std::string& shoot, const CheckOptions& options) {
  document::Stream manifests = stream;
  const Choice choice(manifests, options.selection);
  derive::DeriveOptions derive = choice.overlooking(options.derive);
  derive::take_network_providers(manifests, derive.declarative);
  const manifest::ManifestSet set = manifest::decode(manifests, manifest::Detail::All);
  const std::vector<const PodNetworkSpec*> specs = meant(set, shoot);
  if (specs.empty() && !set.clusters.empty())
    return fail(fmt::format("there is no shoot {}; give one as namespace/name", shoot));
  if (specs.size() > 1)
    return fail(
        fmt::format("there are {} shoots, and a cluster is compared with one; choose one "
                    "with --shoot",
                    specs.size()));

  const live::Observed cluster = live::decode_observed(observed);
  CheckReport report{
      .shoots = {}, .findings = set.findings, .compared = cluster.objects, .silenced = {}};
  append(cluster.findings, report.findings);
  for (const PodNetworkSpec* spec : specs) {
    report.shoots.push_back({spec->object, spec->place});
    append(judge(*spec, set.findings, derive), report.findings);
    if (const auto expected = derive::derive(*spec, derive))
      append(live::compare({{*spec, *expected}, cluster}), report.findings);
  }
  finish(report, manifests, choice);
  return report;
}

}  // namespace overlane::check
