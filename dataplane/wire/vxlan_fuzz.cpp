#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::wire {
namespace {

using testing::require;
using testing::require_same_bytes;

/// Every VXLAN header is written as the same bytes, and every VXLAN-GPE header but for its two
/// reserved flags.
void check(std::span<const std::uint8_t> payload) {
  const auto vxlan = inspect_vxlan(payload);
  const auto gpe = inspect_vxlan_gpe(payload);
  require(vxlan.has_value() == (payload.size() >= kVxlanBytes));
  require(gpe.has_value() == vxlan.has_value());
  if (!vxlan) return;
  require_same_bytes(vxlan->header, kVxlanBytes, payload);
  require(vxlan->header.vni == gpe->header.vni);
  require(vxlan->problems.has(Problem::VniNotValid) == gpe->problems.has(Problem::VniNotValid));
  require(parse_vxlan(payload).has_value() == !vxlan->problems.has(Problem::VniNotValid));
  const bool has_reserved_flags = (payload[0] & 0xc0) != 0;
  if (!has_reserved_flags) require_same_bytes(gpe->header, kVxlanGpeBytes, payload);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
