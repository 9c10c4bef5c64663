#include "dataplane/net/testing/require.h"
#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/tunnel_headers.h"

// Fuzz target of tunnel_headers.h: decodes every input as VXLAN, VXLAN-GPE, Geneve and WireGuard.

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;
using testing::require_same_bytes;

/// Checks that every VXLAN header is written as the same bytes, and every VXLAN-GPE header whose
/// two reserved flags are clear.
void check_vxlan(std::span<const std::uint8_t> payload) {
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

/// Checks that every valid option is written as the same bytes, except for its three reserved bits.
void check_options(std::span<const std::uint8_t> bytes) {
  GeneveOptions options(bytes);
  std::size_t size = 0;
  while (const auto option = options.next()) {
    Bytes written(header_bytes(*option));
    write(*option, written);
    Bytes read(bytes.begin() + static_cast<std::ptrdiff_t>(size),
               bytes.begin() + static_cast<std::ptrdiff_t>(size + written.size()));
    read[3] &= 0x1f;
    require(written == read);
    size += written.size();
  }
  require(options.malformed() ? size < bytes.size() : size == bytes.size());
}

void check_geneve(std::span<const std::uint8_t> bytes) {
  const auto header = parse_geneve(bytes);
  if (!header) return;
  require_same_bytes(*header, header_bytes(*header), bytes);
  check_options(header->options);
}

void check_wireguard(std::span<const std::uint8_t> message) {
  const auto header = parse_wireguard(message);
  if (!header) return;
  require(message.size() >= kWireguardMinTransportBytes);
  require(header->sender.has_value() == (header->type <= kWireguardResponse));
  require(header->receiver.has_value() == (header->type >= kWireguardResponse));
  require(header->counter.has_value() == (header->type == kWireguardTransport));
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check_vxlan({data, size});
  overlane::wire::check_geneve({data, size});
  overlane::wire::check_wireguard({data, size});
  return 0;
}
