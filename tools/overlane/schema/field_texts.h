#pragma once

#include <span>

#include "tools/overlane/schema/file_kinds.h"

namespace overlane::command {

// Descriptions of all fields of a file kind, for its schema.
std::span<const FieldText> header_texts();  ///< For every kind with apiVersion and metadata.
std::span<const FieldText> scenario_texts();
std::span<const FieldText> migration_strategy_texts();
std::span<const FieldText> topology_texts();
std::span<const FieldText> cost_profile_texts();
std::span<const FieldText> measurement_table_texts();
std::span<const FieldText> network_provider_texts();
std::span<const FieldText> routing_domains_texts();
std::span<const FieldText> suite_texts();

}  // namespace overlane::command
