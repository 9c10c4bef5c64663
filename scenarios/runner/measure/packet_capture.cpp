#include "scenarios/runner/measure/packet_capture.h"

#include <fmt/format.h>

#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/ethernet.h"
#include "sim/run/estimate/work.h"

namespace overlane::runner {
namespace {

using capture::PcapngWriter;
using run::TraceEvent;
using run::TracePoint;

/// The initial sequence number, which RFC 9293 section 3.4.1 leaves open: derived from the seed.
std::uint32_t initial_sequence(std::uint64_t seed, std::uint32_t end) {
  return static_cast<std::uint32_t>(murmur_mix(murmur_mix(seed) ^ end));
}

/// States have no Ethernet addresses: each node gets a locally administered one, and its peers
/// share kOther. (libpcap reads no file with several interfaces of raw IP.)
constexpr MacAddress kOther{{0x02, 0xff, 0, 0, 0, 0}};
MacAddress mac_of(std::uint32_t node) {
  MacAddress mac{{0x02, 0, 0, 0, 0, 0}};
  for (std::size_t i = 0; i < 4; ++i)
    mac.bytes[2 + i] = static_cast<std::uint8_t>(node >> (24 - 8 * i));
  return mac;
}

capture::Timestamp timestamp_of(Picos at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = at.whole_nanoseconds();
  return {.seconds = ns / kSecond, .nanoseconds = static_cast<std::uint32_t>(ns % kSecond)};
}

/// Segments that GRO merged are delivered as one packet with one header.
forward::Packet as_delivered(const TraceEvent& sighting) {
  forward::Packet header = *sighting.header;
  if (sighting.segment != nullptr) header.inner.total_length = sighting.segment->ip_bytes();
  return header;
}

}  // namespace

Result<PacketCapture> PacketCapture::create(Options options, const std::vector<std::string>& nodes,
                                            const std::vector<run::TrafficGroup>& traffic) {
  auto writer = PcapngWriter::create(options.file);
  if (!writer) return fail(writer.error());
  const std::string_view device = options.place == CapturePlace::Wire ? "NIC" : "pods";
  PacketCapture capture(std::move(options), *std::move(writer));
  for (const std::string& node : nodes)
    capture.writer_.add_interface(fmt::format("{} {}", node, device), capture::LinkType::Ethernet);
  for (const run::TrafficGroup& group : traffic)
    capture.window_scales_.push_back(run::window_scale(group.window_bytes));
  return capture;
}

bool PacketCapture::is_seen_here(const TraceEvent& sighting) const {
  if (sighting.header == nullptr) return false;
  if (options_.place == CapturePlace::Wire) return sighting.stop == TracePoint::OnWire;
  const bool is_error = sighting.header->icmp.has_value();
  if (sighting.stop == TracePoint::Sent) return !sighting.backward;
  return sighting.stop == TracePoint::Delivered && (sighting.backward || is_error);
}

void PacketCapture::see(const TraceEvent& sighting) {
  if (!is_seen_here(sighting)) return;
  if (written_ == options_.limit) {
    ++left_out_;
    return;
  }
  ++written_;
  const bool is_delivered = sighting.stop == TracePoint::Delivered;
  const forward::Packet header = is_delivered ? as_delivered(sighting) : *sighting.header;
  const auto bytes =
      run::wire_bytes(header, sighting.segment,
                      {.sequence = initial_sequence(options_.seed, sighting.end),
                       .acknowledgement = initial_sequence(options_.seed, sighting.end ^ 1),
                       .window_scale = window_scales_[sighting.group]});
  const MacAddress own = mac_of(sighting.node);
  const auto frame =
      is_delivered ? wire::framed(bytes, own, kOther) : wire::framed(bytes, kOther, own);
  writer_.write(sighting.node, timestamp_of(sighting.at), frame,
                is_delivered ? PcapngWriter::Direction::Inbound : PcapngWriter::Direction::Outbound,
                "");
}

}  // namespace overlane::runner
