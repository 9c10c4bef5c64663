#include "dataplane/wire/tcp.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

constexpr std::uint8_t kEnd = 0;
constexpr std::uint8_t kNop = 1;
constexpr std::uint8_t kMss = 2;
constexpr std::uint8_t kMssBytes = 4;
constexpr std::uint8_t kTimestamps = 8;
constexpr std::uint8_t kTimestampsBytes = 10;

/// Fills in the options that it knows; false when one is truncated or has a wrong length.
bool parse_options(std::span<const std::uint8_t> options, TcpHeader& header) {
  while (!options.empty() && options[0] != kEnd) {
    if (options[0] == kNop) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) return false;
    const std::uint8_t kind = options[0];
    const std::uint8_t length = options[1];
    if (kind == kMss) {
      if (length != kMssBytes) return false;
      header.mss = load_be16(options.data() + 2);
    }
    if (kind == kTimestamps) {
      if (length != kTimestampsBytes) return false;
      header.timestamps = {load_be32(options.data() + 2), load_be32(options.data() + 6)};
    }
    options = options.subspan(length);
  }
  return true;
}

}  // namespace

std::size_t header_bytes(const TcpHeader& header) {
  return kTcpBytes + (header.mss ? kMssBytes : 0u) +
         (header.timestamps ? kTimestampsBytes + 2u : 0u);
}

Result<ParsedTcp, Drop> parse_tcp(std::span<const std::uint8_t> segment) {
  if (segment.size() < kTcpBytes) return fail(Drop::Malformed);
  const std::uint8_t* bytes = segment.data();
  const std::size_t length = (bytes[12] >> 4) * 4u;
  if (length < kTcpBytes || length > segment.size()) return fail(Drop::Malformed);
  ParsedTcp parsed{.header = {.source_port = load_be16(bytes),
                              .destination_port = load_be16(bytes + 2),
                              .sequence = load_be32(bytes + 4),
                              .acknowledgement = load_be32(bytes + 8),
                              .flags = bytes[13],
                              .window = load_be16(bytes + 14),
                              .checksum = load_be16(bytes + 16),
                              .urgent = load_be16(bytes + 18)},
                   .header_bytes = length};
  if (!parse_options(segment.subspan(kTcpBytes, length - kTcpBytes), parsed.header)) {
    return fail(Drop::Malformed);
  }
  return parsed;
}

void write(const TcpHeader& header, std::span<std::uint8_t> to) {
  const std::size_t length = header_bytes(header);
  assert(to.size() >= length);
  std::uint8_t* bytes = to.data();
  store_be16(bytes, header.source_port);
  store_be16(bytes + 2, header.destination_port);
  store_be32(bytes + 4, header.sequence);
  store_be32(bytes + 8, header.acknowledgement);
  bytes[12] = static_cast<std::uint8_t>(length / 4 << 4);
  bytes[13] = header.flags;
  store_be16(bytes + 14, header.window);
  store_be16(bytes + 16, header.checksum);
  store_be16(bytes + 18, header.urgent);
  bytes += kTcpBytes;
  if (header.mss) {
    bytes[0] = kMss;
    bytes[1] = kMssBytes;
    store_be16(bytes + 2, *header.mss);
    bytes += kMssBytes;
  }
  if (header.timestamps) {
    bytes[0] = kNop;
    bytes[1] = kNop;
    bytes[2] = kTimestamps;
    bytes[3] = kTimestampsBytes;
    store_be32(bytes + 4, header.timestamps->value);
    store_be32(bytes + 8, header.timestamps->echo);
  }
}

}  // namespace overlane::wire
