#include "dataplane/wire/icmp.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;

const IpAddress kSource = IpAddress::parse("2001:db8::1").value();
const IpAddress kDestination = IpAddress::parse("2001:db8::2").value();

/// With the checksum made right, a message is read as it was written.
void check_round_trip(const Icmpv6Header& header, std::span<const std::uint8_t> message) {
  Bytes written(message.begin(), message.end());
  write(header, kSource, kDestination, written);
  require(parse_icmpv6(kSource, kDestination, written).value() == header);
  require(
      std::equal(written.begin() + kIcmpv6Bytes, written.end(), message.begin() + kIcmpv6Bytes));
}

void check(std::span<const std::uint8_t> message) {
  const auto inspected = inspect_icmpv6(kSource, kDestination, message);
  require(inspected.has_value() == (message.size() >= kIcmpv6Bytes));
  if (inspected) check_round_trip(inspected->header, message);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
