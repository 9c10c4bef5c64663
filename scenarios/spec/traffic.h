#pragma once

#include <optional>
#include <vector>

#include "scenarios/spec/scenario.h"
#include "sim/random/distribution.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

// Decoders of `spec.traffic` of a Scenario: the groups of traffic with their kinds (UDP, TCP,
// requests with responses) and the distributions of transfer sizes. The structs are in scenario.h.

/// Decodes `spec.traffic`: names are unique, and if it is required, there is one group at least.
std::vector<Traffic> decode_traffic(document::Fields& spec, bool is_required);

/// Decode the kind-specific fields of a traffic group.
void decode_udp(document::Fields& fields, Traffic& traffic);
void decode_tcp(document::Fields& fields, Traffic& traffic);
void decode_request_response(document::Fields& fields, Traffic& traffic);

/// Bytes of one transfer: about a quarter of an hour at 10 Gbit/s.
inline constexpr std::int64_t kMaxTransfer = 1'000'000'000'000;

/// The distribution of transfer sizes; nothing if absent or invalid.
std::optional<Distribution> decode_sizes(document::Fields fields);

}  // namespace overlane::spec
