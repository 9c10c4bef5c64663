#include "dataplane/net/testing/require.h"
#include "dataplane/wire/wireguard.h"

namespace overlane::wire {
namespace {

using testing::require;

void check(std::span<const std::uint8_t> message) {
  const auto header = parse_wireguard(message);
  if (!header) return;
  require(message.size() >= kWireguardLeastTransportBytes);
  require(header->sender.has_value() == (header->type <= kWireguardResponse));
  require(header->receiver.has_value() == (header->type >= kWireguardResponse));
  require(header->counter.has_value() == (header->type == kWireguardTransport));
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
