#include "dataplane/encap/testing/kind_benches.h"
#include "dataplane/encap/vxlan/vxlan.h"

namespace overlane::vxlan {
namespace {

struct Of {
  using Pusher = vxlan::Pusher;
  static constexpr Encapsulation kEncapsulation = Encapsulation::Vxlan;
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return vxlan::pop(packet);
  }
};

const bool kAdded = encap::testing::add_frame_in_udp<Of>("vxlan");

}  // namespace
}  // namespace overlane::vxlan
