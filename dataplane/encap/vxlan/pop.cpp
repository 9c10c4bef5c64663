#include "dataplane/encap/vxlan/pop.h"

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/encap/vxlan/vxlan.h"

namespace overlane::vxlan {
namespace {

constexpr std::uint64_t kVniValid = std::uint64_t{0x08} << 56;
constexpr std::uint64_t kVniMask = std::uint64_t{0xffffff} << 8;

/// is_valid_ether_addr (include/linux/etherdevice.h).
bool is_sender(const std::uint8_t* mac) {
  constexpr std::uint64_t kMulticast = std::uint64_t{1} << 40;
  const std::uint64_t address = std::uint64_t{load_be16(mac)} << 32 | load_be32(mac + 2);
  return (address & kMulticast) == 0 && address != 0;
}

const std::uint8_t* header(const encap::Popped& popped) {
  return popped.headers.data() + popped.outer_bytes + encap::kUdpBytes;
}

}  // namespace

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet, const Accepts& accepts) {
  const auto outer = encap::read_outer(packet);
  if (!outer) return fail(outer.error());
  const auto datagram = encap::read_udp(*outer, accepts.zero_checksum_over_ipv6);
  if (!datagram) return fail(datagram.error());
  const std::uint32_t offset = datagram->header_bytes + encap::kUdpBytes;
  constexpr std::uint32_t kMiddleBytes = kHeaderBytes + kEthernetBytes;
  if (datagram->bytes.size() < offset + kMiddleBytes) return fail(Drop::Malformed);
  const std::uint8_t* at = datagram->bytes.data() + offset;
  const std::uint64_t fields = load_be64(at) & ~kVniMask;
  if (fields != kVniValid) {
    return fail((fields & kVniValid) == 0 ? Drop::Malformed : Drop::UnsupportedProtocol);
  }
  if (!is_sender(at + kHeaderBytes + 6)) return fail(Drop::Malformed);
  const auto family = encap::family_of(load_be16(at + kHeaderBytes + 12));
  if (!family) return fail(Drop::UnsupportedProtocol);
  return encap::take_inner(*datagram, offset + kMiddleBytes, *family);
}

std::uint32_t vni(const encap::Popped& popped) {
  return load_be24(header(popped) + 4);
}
MacAddress inner_destination(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes);
}
MacAddress inner_source(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes + 6);
}

}  // namespace overlane::vxlan
