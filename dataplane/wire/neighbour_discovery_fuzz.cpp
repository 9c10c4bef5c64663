#include "dataplane/wire/neighbour_discovery.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;

const IpAddress kSource = IpAddress::parse("2001:db8::1").value();
const IpAddress kDestination = IpAddress::parse("2001:db8::2").value();

void check(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_neighbour_message(bytes);
  require(inspected.has_value() == (bytes.size() >= kNeighbourMessageBytes));
  const auto message = parse_neighbour_message(bytes);
  require(message.has_value() == (inspected && !inspected->problems.drop()));
  if (!message) return;
  Bytes written(message->bytes());
  write(*message, kSource, kDestination, written);
  require(parse_neighbour_message(written).value() == *message);
  require(parse_icmpv6(kSource, kDestination, written).has_value());
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
