#pragma once

#include "scenarios/spec/scenario.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Decode the kind-specific fields of a traffic group.
void decode_udp(document::Fields& fields, Traffic& traffic);
void decode_tcp(document::Fields& fields, Traffic& traffic);
void decode_request_response(document::Fields& fields, Traffic& traffic);

}  // namespace overlane::spec
