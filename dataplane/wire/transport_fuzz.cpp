#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/transport.h"

// Fuzz target of transport.h: decodes every input as TCP and UDP.

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;
using testing::require_same_bytes;

/// Checks that a parsed header is parsed from its written bytes again. The bytes may differ in
/// order and padding of the options, so the written header may exceed kTcpMaxBytes; it is skipped
/// then.
void check_round_trip(const ParsedTcp& parsed) {
  const std::size_t size = header_bytes(parsed.header);
  if (size > kTcpMaxBytes) return;
  Bytes written(size);
  write(parsed.header, written);
  require(inspect_tcp(written)->problems.empty());
  require(parse_tcp(written)->header == parsed.header);
  require(parse_tcp(written)->header_bytes == size);
}

void check_tcp(std::span<const std::uint8_t> segment) {
  const auto inspected = inspect_tcp(segment);
  require(inspected.has_value() == (segment.size() >= kTcpBytes));
  const auto parsed = parse_tcp(segment);
  if (!parsed) return;
  require(parsed->header_bytes >= kTcpBytes && parsed->header_bytes <= segment.size());
  check_round_trip(*parsed);
}

void check_udp(std::span<const std::uint8_t> segment) {
  const auto inspected = inspect_udp(segment, ZeroLength::MeansFrame);
  require(inspected.has_value() == (segment.size() >= kUdpBytes));
  const auto header = parse_udp(segment, ZeroLength::MeansFrame);
  require(parse_udp(segment).has_value() == (header && header->length != 0));
  if (!header) return;
  require_same_bytes(*header, kUdpBytes, segment);
  const std::size_t size = datagram_of(*header, segment).size();
  require(size >= kUdpBytes && size <= segment.size());
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check_tcp({data, size});
  overlane::wire::check_udp({data, size});
  return 0;
}
