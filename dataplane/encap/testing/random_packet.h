#pragma once

#include <optional>

#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::encap::testing {

using overlane::testing::Bytes;

// Random inner packets for the tests of encapsulations, which also know the fields that an outer
// header inherits or hashes.

/// An IP packet and its fields, which the generator knows without parsing the bytes.
struct RandomPacket {
  Bytes bytes;
  Family family = Family::Ipv4;
  std::uint8_t tos = 0;
  std::uint8_t ttl = 0;
  bool dont_fragment = false;
  FlowKey flow;
  std::optional<std::uint8_t> encapsulation_limit;  ///< In an IPv6 destination options header.
};

inline bool one_in(RandomStream& random, std::uint64_t n) {
  return random.below(n) == 0;
}

inline std::uint8_t random_byte(RandomStream& random) {
  return static_cast<std::uint8_t>(random.next());
}

inline IpAddress random_address(RandomStream& random, Family family) {
  if (family == Family::Ipv4) return Ipv4Address{static_cast<std::uint32_t>(random.next())};
  IpAddress address;
  address.high = 0x20010db800000000 | random.below(1u << 31);
  address.low = random.next();
  return address;
}

inline MacAddress random_mac(RandomStream& random) {
  MacAddress mac{{0x02}};
  for (std::size_t i = 1; i < mac.bytes.size(); ++i)
    mac.bytes[i] = random_byte(random);
  return mac;
}

/// Appends `value` in network byte order.
inline void append(Bytes& bytes, std::uint64_t value, int size) {
  while (size-- > 0)
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * size)));
}

inline void append(Bytes& bytes, const IpAddress& address) {
  if (address.is_ipv4()) return append(bytes, address.ipv4().bits, 4);
  append(bytes, address.high, 8);
  append(bytes, address.low, 8);
}

inline void append_random(Bytes& bytes, RandomStream& random, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    bytes.push_back(random_byte(random));
}

inline std::uint8_t random_protocol(RandomStream& random) {
  constexpr std::uint8_t kSome[] = {6, 17, 6, 17, 1, 58, 132, 50, 4, 41};
  return kSome[random.below(std::size(kSome))];
}

/// Appends a random payload. A quarter are shorter than 8 bytes, so that some end within the ports.
inline void append_payload(RandomPacket& packet, RandomStream& random, bool may_have_ports) {
  const std::uint64_t size = one_in(random, 4) ? random.below(8) : random.below(300);
  const std::size_t at = packet.bytes.size();
  append_random(packet.bytes, random, size);
  const bool has_ports = packet.flow.protocol == 6 || packet.flow.protocol == 17;
  if (!has_ports || !may_have_ports || size < 4) return;
  const auto port = [&](std::size_t i) {
    return static_cast<std::uint16_t>(packet.bytes[i] << 8 | packet.bytes[i + 1]);
  };
  packet.flow.source_port = port(at);
  packet.flow.destination_port = port(at + 2);
}

inline RandomPacket random_ipv4(RandomStream& random) {
  RandomPacket packet{.family = Family::Ipv4,
                      .tos = random_byte(random),
                      .ttl = random_byte(random),
                      .dont_fragment = one_in(random, 2)};
  packet.flow.protocol = random_protocol(random);
  packet.flow.source = random_address(random, Family::Ipv4);
  packet.flow.destination = random_address(random, Family::Ipv4);
  const std::uint64_t option_words = one_in(random, 4) ? random.below(11) : 0;
  const std::uint64_t fragment = one_in(random, 6) ? random.below(0x4000) : 0;
  Bytes& bytes = packet.bytes;
  append(bytes, 0x45 + option_words, 1);
  append(bytes, packet.tos, 1);
  append(bytes, 0, 2);
  append(bytes, random.next(), 2);
  append(bytes, fragment | (packet.dont_fragment ? 0x4000 : 0), 2);
  append(bytes, packet.ttl, 1);
  append(bytes, packet.flow.protocol, 1);
  append(bytes, random.next(), 2);
  append(bytes, packet.flow.source);
  append(bytes, packet.flow.destination);
  append_random(bytes, random, option_words * 4);
  append_payload(packet, random, fragment == 0);
  store_be16(bytes.data() + 2, static_cast<std::uint32_t>(bytes.size()));
  return packet;
}

/// Appends an extension header and returns its kind. The caller sets its next header.
inline std::uint8_t append_extension(RandomPacket& packet, RandomStream& random, bool first) {
  constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kOptions = 60;
  const std::uint8_t kind = first && one_in(random, 3) ? kHopByHop
                            : one_in(random, 3)        ? kFragment
                            : one_in(random, 2)        ? kRouting
                                                       : kOptions;
  Bytes& bytes = packet.bytes;
  bytes.push_back(0);
  if (kind == kFragment || kind == kRouting) {
    bytes.push_back(0);
    append_random(bytes, random, 6);
    if (kind == kRouting) bytes[bytes.size() - 5] = 0;
    return kind;
  }
  const std::uint8_t longer = random_byte(random) & 1;
  bytes.push_back(longer);
  if (kind == kOptions && !packet.encapsulation_limit && one_in(random, 2)) {
    packet.encapsulation_limit = static_cast<std::uint8_t>(random.below(4));
    bytes.insert(bytes.end(), {4, 1, *packet.encapsulation_limit, 1, 1, 0});
  } else {
    bytes.insert(bytes.end(), {1, 4, 0, 0, 0, 0});
  }
  if (longer != 0) bytes.insert(bytes.end(), {0x1e, 6, 1, 2, 3, 4, 5, 6});
  return kind;
}

inline RandomPacket random_ipv6(RandomStream& random) {
  RandomPacket packet{.family = Family::Ipv6,
                      .tos = random_byte(random),
                      .ttl = random_byte(random),
                      .dont_fragment = true};
  packet.flow.protocol = random_protocol(random);
  packet.flow.source = random_address(random, Family::Ipv6);
  packet.flow.destination = random_address(random, Family::Ipv6);
  Bytes& bytes = packet.bytes;
  append(bytes, 0x60000000u | std::uint32_t{packet.tos} << 20 | random.below(1 << 20), 4);
  append(bytes, 0, 3);
  append(bytes, packet.ttl, 1);
  append(bytes, packet.flow.source);
  append(bytes, packet.flow.destination);
  bool fragment = false;
  std::size_t next_header = 6;
  const std::uint64_t extensions = one_in(random, 2) ? 0 : random.below(4);
  for (std::uint64_t i = 0; i < extensions && !fragment; ++i) {
    const std::size_t at = bytes.size();
    bytes[next_header] = append_extension(packet, random, i == 0);
    fragment = bytes[next_header] == 44;
    next_header = at;
  }
  bytes[next_header] = packet.flow.protocol;
  append_payload(packet, random, !fragment);
  store_be16(bytes.data() + 4, static_cast<std::uint32_t>(bytes.size() - 40));
  return packet;
}

/// A random packet that is valid in all fields that tunnels check, with and without IPv4 options or
/// IPv6 extension headers, fragments included. Its checksums are random, because tunnels do not
/// check them.
inline RandomPacket random_packet(RandomStream& random, Family family) {
  return family == Family::Ipv4 ? random_ipv4(random) : random_ipv6(random);
}

inline RandomPacket random_packet(RandomStream& random) {
  return random_packet(random, random.below(2) == 0 ? Family::Ipv4 : Family::Ipv6);
}

}  // namespace overlane::encap::testing
