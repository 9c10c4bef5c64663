#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/testing/kind_benches.h"

namespace overlane::geneve {
namespace {

struct Of {
  using Pusher = geneve::Pusher;
  static constexpr Encapsulation kEncapsulation = Encapsulation::Geneve;
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return geneve::pop(packet);
  }
};

const bool kAdded = encap::testing::add_frame_in_udp<Of>("geneve");

}  // namespace
}  // namespace overlane::geneve
