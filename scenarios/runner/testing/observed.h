#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataplane/capture/decoded_packet.h"
#include "results/model/flow_trace.h"

namespace overlane::runner::testing {

/// What a trace says about one packet.
std::vector<model::TraceLine> lines_of(const model::FlowTrace& trace, std::int64_t packet);
std::vector<std::string_view> events_of(const std::vector<model::TraceLine>& lines);

/// A capture, decoded; nothing is wrong with any packet.
std::vector<capture::DecodedPacket> decoded(const std::string& file);
/// Null where there is none.
const capture::Layer* layer(const capture::DecodedPacket& packet, capture::LayerKind kind);

}  // namespace overlane::runner::testing
