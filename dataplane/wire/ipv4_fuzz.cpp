#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/testing/require.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;

/// A header that parses is written as the same bytes. Of the two forms of a checksum of zero, a
/// writer makes only one (RFC 1624, section 3).
void check_round_trip(const Ipv4Header& header, std::span<const std::uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  write(header, bytes);
  require(parse_ipv4(bytes, ZeroLength::MeansFrame).value() == header);
  const bool has_other_zero = load_be16(packet.data() + 10) == 0xffff;
  require(has_other_zero || std::equal(bytes.begin(), bytes.end(), packet.begin()));
}

void check(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_ipv4(bytes, ZeroLength::MeansFrame);
  require(inspected.has_value() == (bytes.size() >= kIpv4Bytes));
  const auto header = parse_ipv4(bytes, ZeroLength::MeansFrame);
  if (header) {
    check_round_trip(*header, bytes);
    const std::size_t size = packet_of(*header, bytes).size();
    require(size >= header->header_bytes && size <= bytes.size());
    require(parse_ipv4(bytes).has_value() == (header->total_length != 0));
    require(parse_quoted_ipv4(bytes).has_value() == (header->total_length != 0));
  } else {
    require(!parse_ipv4(bytes));
  }
}

/// The checksum made right, so that what is behind it is reached.
void check_with_right_checksum(std::span<const std::uint8_t> bytes) {
  const auto header = parse_quoted_ipv4(bytes);
  if (!header) return;
  Bytes right(bytes.begin(), bytes.end());
  write(*header, right);
  check(right);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  overlane::wire::check_with_right_checksum({data, size});
  return 0;
}
