#pragma once

#include "topologies/effective/rule_tables.h"

namespace overlane::effective {

// The tables that rule_tables.h joins, each of one subject.

std::span<const Check<NetworkInputs>> range_checks();
std::span<const Check<NetworkInputs>> node_mask_checks();
std::span<const Check<NetworkInputs>> kube_proxy_checks();
std::span<const Check<NetworkInputs>> family_checks();
std::span<const Check<NetworkInputs>> overlay_checks();
std::span<const Check<NetworkInputs>> infrastructure_checks();
std::span<const Check<NetworkInputs>> network_identity_checks();
std::span<const Check<NetworkInputs>> missing_part_checks();
std::span<const Check<NetworkInputs>> seed_checks();
std::span<const Check<NetworkInputs>> seed_omission_checks();

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

}  // namespace overlane::effective
