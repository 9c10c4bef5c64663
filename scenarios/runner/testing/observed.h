#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataplane/capture/decode.h"
#include "results/model/flow_trace.h"

namespace overlane::runner::testing {

/// Returns the lines of a trace for one packet.
std::vector<model::TraceLine> lines_of(const model::FlowTrace& trace, std::int64_t packet);
std::vector<std::string_view> events_of(const std::vector<model::TraceLine>& lines);

/// Returns the packets of a capture. Expects that all packets decode without errors.
std::vector<capture::DecodedPacket> decoded(const std::string& file);
/// Returns the layer of this kind, or null if the packet has none.
const capture::Layer* layer(const capture::DecodedPacket& packet, capture::LayerKind kind);

}  // namespace overlane::runner::testing
