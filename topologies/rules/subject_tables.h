#pragma once

#include "topologies/rules/rule_tables.h"

// One function per table of this folder. Only rule_tables.cpp calls them.
namespace overlane::rules {

// The tables that rule_tables.h joins, one per subject.

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
