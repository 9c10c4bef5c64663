#include "topologies/derive/derive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "topologies/cni/declarative/declarative.h"
#include "topologies/cni/profiles.h"
#include "topologies/derive/shoot_derivation.h"
#include "topologies/document/fields/header.h"
#include "topologies/library/library.h"
#include "topologies/manifest/documents/unused.h"
#include "topologies/rules/rule_tables.h"

namespace overlane::derive {

namespace {

using cni::ExtensionInstance;
using cni::NetworkExtension;
using effective::EffectiveDataplane;
using effective::NetworkInputs;
using manifest::PodNetworkSpec;

void add_network_provider(const document::Tree& tree, Findings& findings,
                          DeclarativeExtensions& declarative) {
  auto provider = declarative::decode_network_provider(tree);
  if (!provider) {
    findings.insert(findings.end(), provider.error().begin(), provider.error().end());
    return;
  }
  if (extension_of(provider->type, declarative) != nullptr) {
    findings.push_back({.rule = "duplicate-network-type",
                        .message = fmt::format("{}: the network type {} already exists",
                                               provider->name, provider->type),
                        .object = document::object_of(tree),
                        .path = "spec.type",
                        .place = tree.root()["spec"]["type"].place(),
                        .hint = "give each type once; calico and cilium need no file"});
    return;
  }
  declarative.push_back(std::make_shared<declarative::Extension>(*std::move(provider)));
}

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
          .hint = topology_library::describe_network_type(spec.type.value)};
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

Findings config_errors(const ShootDerivation& shoot, const DeriveOptions& options) {
  Findings errors;
  std::ranges::copy_if(
      shoot.network()->config_findings(), std::back_inserter(errors), [&](const Finding& one) {
        return one.severity == Severity::Error && !(options.overlooks && options.overlooks(one));
      });
  return errors;
}

}  // namespace

const NetworkExtension* extension_of(std::string_view type,
                                     const DeclarativeExtensions& declarative) {
  if (const cni::Profile* coded = cni::find_profile(type)) return coded->extension;
  for (const auto& one : declarative)
    if (one->type() == type) return one.get();
  return nullptr;
}

bool describes_network(const document::Tree& tree) {
  const document::Value root = tree.root();
  return root["kind"].text() == declarative::kKind &&
         document::is_own_api_version(root["apiVersion"].text());
}

void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative) {
  for (const document::Tree& tree : stream.take_if(describes_network))
    add_network_provider(tree, stream.findings, declarative);
}

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

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options) {
  const ShootDerivation shoot(spec, options);
  const effective::NetworkInputs& inputs = shoot.inputs();
  Outline outline{.stage = inputs.stage,
                  .provider = inputs.provider.provider,
                  .families = inputs.families,
                  .addressing = inputs.addressing,
                  .routing_domain = shoot.decisions().routing_domain};
  if (shoot.network() == nullptr) return outline;
  outline.config_errors = config_errors(shoot, options);
  if (!outline.config_errors.empty()) return outline;
  if (Result<cni::NetworkDecision> decision = shoot.decide())
    outline.network = *std::move(decision);
  return outline;
}

}  // namespace overlane::derive
