#include "dataplane/wire/icmp.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;

/// With the checksum made right, a message is read as it was written, and a known type without bits
/// in unused places is written as it was read.
void check_round_trip(const Inspected<IcmpHeader>& inspected,
                      std::span<const std::uint8_t> message) {
  Bytes written(message.begin(), message.end());
  write(inspected.header, written);
  require(parse_icmp(written).value() == inspected.header);
  const bool is_canonical =
      !icmp_name(inspected.header.type).empty() && !inspected.problems.has(Problem::ReservedBits);
  if (is_canonical) {
    require(std::equal(written.begin(), written.begin() + 2, message.begin()));
    require(std::equal(written.begin() + 4, written.end(), message.begin() + 4));
  }
}

void check(std::span<const std::uint8_t> message) {
  const auto inspected = inspect_icmp(message);
  require(inspected.has_value() == (message.size() >= kIcmpBytes));
  if (inspected) check_round_trip(*inspected, message);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
