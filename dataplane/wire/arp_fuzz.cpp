#include "dataplane/wire/arp.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::require;
using testing::require_same_bytes;

void check(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_arp(bytes);
  require(inspected.has_value() == (bytes.size() >= kArpBytes));
  const auto packet = parse_arp(bytes);
  require(packet.has_value() == (inspected && inspected->problems.empty()));
  if (packet) require_same_bytes(*packet, kArpBytes, bytes);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
