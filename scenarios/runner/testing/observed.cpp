#include "scenarios/runner/testing/observed.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/capture/capture_file.h"
#include "dataplane/capture/decode.h"

namespace overlane::runner::testing {

std::vector<model::TraceLine> lines_of(const model::FlowTrace& trace, std::int64_t packet) {
  std::vector<model::TraceLine> lines;
  for (const model::TraceLine& line : trace.lines)
    if (line.packet == packet) lines.push_back(line);
  return lines;
}

std::vector<std::string_view> events_of(const std::vector<model::TraceLine>& lines) {
  std::vector<std::string_view> events;
  for (const model::TraceLine& line : lines)
    events.push_back(line.event);
  return events;
}

std::vector<capture::DecodedPacket> decoded(const std::string& file) {
  std::vector<capture::DecodedPacket> packets;
  auto reader = capture::CaptureReader::open(file);
  EXPECT_TRUE(reader) << file;
  for (auto next = reader->next(); next && *next; next = reader->next()) {
    packets.push_back(
        capture::decode(**next, reader->link_type(), capture::default_tunnel_ports()));
    EXPECT_THAT(packets.back().problems, ::testing::IsEmpty()) << packets.back().number;
  }
  return packets;
}

const capture::Layer* layer(const capture::DecodedPacket& packet, capture::LayerKind kind) {
  const auto found = std::ranges::find(packet.layers, kind, &capture::Layer::kind);
  return found == packet.layers.end() ? nullptr : &*found;
}

}  // namespace overlane::runner::testing
