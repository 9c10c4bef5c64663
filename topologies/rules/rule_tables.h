#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

// The rule tables of this folder, which apply to every CNI: rules of the providers' admission,
// rules of Gardener's validation, fields that admission requires and a result assumes if they are
// missing, and lints (accepted configuration that misbehaves). topologies/derive runs the checks on
// the decoded manifest, and the lints only if an effective dataplane could be derived. Each CNI has
// tables of its own in topologies/cni.
namespace overlane::rules {

/// An admitted shoot and its dataplane, for rules about accepted configuration that misbehaves.
struct LintInputs {
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

/// Gardener's own rules, for every provider and network type.
RuleTables<effective::NetworkInputs> gardener_checks();
/// Rules of the providers' admission.
RuleTables<effective::NetworkInputs> provider_checks();
/// Fields that admission requires and for which `explain` assumes a value.
RuleTables<effective::NetworkInputs> omission_checks();
/// Configuration that is admitted, but misbehaves, with every network type.
RuleTables<LintInputs> lints();

// The tables of single subjects, which the functions above join. Only rule_tables.cpp calls them.

std::span<const Check<effective::NetworkInputs>> range_checks();
std::span<const Check<effective::NetworkInputs>> node_mask_checks();
std::span<const Check<effective::NetworkInputs>> kube_proxy_checks();
std::span<const Check<effective::NetworkInputs>> family_checks();
std::span<const Check<effective::NetworkInputs>> overlay_checks();
std::span<const Check<effective::NetworkInputs>> infrastructure_checks();
std::span<const Check<effective::NetworkInputs>> network_identity_checks();
std::span<const Check<effective::NetworkInputs>> missing_part_checks();
std::span<const Check<effective::NetworkInputs>> seed_checks();
std::span<const Check<effective::NetworkInputs>> seed_omission_checks();

std::span<const Check<LintInputs>> range_lints();
std::span<const Check<LintInputs>> reserved_range_lints();
std::span<const Check<LintInputs>> node_range_lints();
std::span<const Check<LintInputs>> family_lints();
std::span<const Check<LintInputs>> overlay_lints();
std::span<const Check<LintInputs>> route_lints();
std::span<const Check<LintInputs>> route_quota_lints();
std::span<const Check<LintInputs>> shared_network_lints();
std::span<const Check<LintInputs>> fabric_lints();
std::span<const Check<LintInputs>> link_mtu_lints();
std::span<const Check<LintInputs>> node_local_dns_lints();
std::span<const Check<LintInputs>> migration_lints();
std::span<const Check<LintInputs>> seed_lints();

}  // namespace overlane::rules
