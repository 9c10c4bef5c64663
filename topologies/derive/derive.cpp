#include "topologies/derive/derive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "topologies/derive/describe.h"
#include "topologies/derive/library.h"
#include "topologies/derive/shoot_derivation.h"
#include "topologies/manifest/documents/unused.h"
#include "topologies/rules/rule_tables.h"

namespace overlane::derive {
namespace {

using cni::ExtensionInstance;
using effective::EffectiveDataplane;
using effective::NetworkInputs;
using manifest::PodNetworkSpec;

/// The finding "not-admitted" of the errors that the caller does not ignore.
std::optional<Finding> refusal_in(Findings findings, const DeriveOptions& options) {
  if (options.overlooks) std::erase_if(findings, options.overlooks);
  return manifest::not_admitted(findings);
}

/// Findings of the rules of admission and reconciliation. A NetworkConfig that cannot be decoded is
/// not checked further.
Findings check(const NetworkInputs& inputs, const ExtensionInstance* network,
               const DeriveOptions& options) {
  if (network != nullptr && refusal_in(network->config_findings(), options))
    return network->config_findings();
  rules::RuleReport report(inputs.spec);
  if (!inputs.admission_runs()) report.set_admitted();
  report.run(rules::provider_checks(), inputs);
  if (network != nullptr) network->check(report);
  report.run(rules::gardener_checks(), inputs);
  return report.take();
}

/// The finding about a required field for which the result assumes a usual value.
Finding answered_anyway(Finding omission) {
  omission.severity = std::min(omission.severity, Severity::Warning);
  omission.message += "; admission would refuse the shoot, and the result assumes a usual value";
  return omission;
}

/// Required fields that are missing and for which a usual value is assumed.
Findings find_omissions(const NetworkInputs& inputs) {
  rules::RuleReport report(inputs.spec);
  report.run(rules::omission_checks(), inputs);
  return report.take();
}

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

Finding unknown_extension(const PodNetworkSpec& spec) {
  return {.rule = "unsupported-cni",
          .severity = Severity::Warning,
          .message = fmt::format(
              "{}: Overlane does not model the network type {}: its dataplane is not known",
              spec.object.qualified(), spec.type.value),
          .object = spec.object,
          .path = spec.type.path,
          .place = spec.type.place,
          .hint = describe_network_type(spec.type.value)};
}

Findings lint(const NetworkInputs& inputs, const ExtensionInstance* network,
              const EffectiveDataplane& dataplane, Severity least) {
  rules::RuleReport report(inputs.spec, least);
  report.run(rules::lints(), {inputs, dataplane});
  if (network != nullptr) network->lint(dataplane, report);
  Findings findings = report.take();
  if (network == nullptr) {
    findings.push_back(unknown_extension(inputs.spec));
  } else {
    const Findings& config = network->config_findings();
    findings.insert(findings.begin(), config.begin(), config.end());
  }
  return findings;
}

/// examine() by the rules of severity `least` and above.
Examination examine(const PodNetworkSpec& spec, const DeriveOptions& options, Severity least) {
  const ShootDerivation shoot(spec, options);
  const NetworkInputs& inputs = shoot.inputs();
  const ExtensionInstance* network = shoot.network();
  Findings findings = check(inputs, network, options);
  const std::optional<Finding> refusal = refusal_in(findings, options);
  const Findings omissions = find_omissions(inputs);
  append(omissions, findings);
  if (refusal) return {fail(*refusal), std::move(findings)};
  std::optional<cni::NetworkDecision> decision;
  if (network != nullptr) {
    auto decided = shoot.decide();
    if (!decided) {
      findings.push_back(decided.error());
      return {fail(decided.error()), std::move(findings)};
    }
    decision = *std::move(decided);
  }
  EffectiveDataplane out = describe(inputs, shoot.decisions(), decision ? &*decision : nullptr);
  const Findings odd = lint(inputs, network, out, least);
  append(odd, findings);
  std::ranges::transform(omissions, std::back_inserter(out.findings), answered_anyway);
  std::ranges::copy_if(odd, std::back_inserter(out.findings), [](const Finding& finding) {
    return finding.severity >= Severity::Warning;
  });
  return {std::move(out), std::move(findings)};
}

}  // namespace

Examination examine(const PodNetworkSpec& spec, const DeriveOptions& options) {
  return examine(spec, options, Severity::Note);
}

Result<EffectiveDataplane> derive(const PodNetworkSpec& spec, const DeriveOptions& options) {
  return examine(spec, options, Severity::Warning).network;
}

Result<EffectiveDataplane> derive(const PodNetworkSpec& spec, const DeriveOptions& options,
                                  const document::Value& patch) {
  if (!patch.exists()) return derive(spec, options);
  return derive(manifest::with_network_config(spec, patch), options);
}

Findings judge_config(const PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  return shoot.network() == nullptr ? Findings() : shoot.network()->config_findings();
}

std::optional<Finding> undecodable_config(const PodNetworkSpec& spec, const DeriveOptions& options,
                                          const document::Value& patch) {
  return manifest::not_admitted(judge_config(manifest::with_network_config(spec, patch), options));
}

}  // namespace overlane::derive
