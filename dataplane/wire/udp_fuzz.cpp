#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/udp.h"

namespace overlane::wire {
namespace {

using testing::require;
using testing::require_same_bytes;

void check(std::span<const std::uint8_t> segment) {
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
  overlane::wire::check({data, size});
  return 0;
}
