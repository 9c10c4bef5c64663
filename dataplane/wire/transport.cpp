#include "dataplane/wire/transport.h"

#include <algorithm>
#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

UdpHeader load_udp(const std::uint8_t* bytes) {
  return {.source_port = load_be16(bytes),
          .destination_port = load_be16(bytes + 2),
          .length = load_be16(bytes + 4),
          .checksum = load_be16(bytes + 6)};
}

Problems problems_of(const UdpHeader& header, std::span<const std::uint8_t> segment,
                     ZeroLength zero) {
  const bool is_whole_frame = header.length == 0 && zero == ZeroLength::MeansFrame;
  Problems problems;
  problems.add(Problem::LengthTooShort, header.length < kUdpBytes && !is_whole_frame);
  problems.add(Problem::LengthBeyondPacket, header.length > segment.size());
  return problems;
}

}  // namespace

std::optional<Inspected<UdpHeader>> inspect_udp(std::span<const std::uint8_t> segment,
                                                ZeroLength zero) {
  if (segment.size() < kUdpBytes) return std::nullopt;
  const UdpHeader header = load_udp(segment.data());
  return Inspected<UdpHeader>{header, problems_of(header, segment, zero)};
}

Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment, ZeroLength zero) {
  if (segment.size() < kUdpBytes) return fail(Drop::Malformed);
  const UdpHeader header = load_udp(segment.data());
  return accepted(header, problems_of(header, segment, zero));
}

void write(const UdpHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kUdpBytes);
  store_be16(to.data(), header.source_port);
  store_be16(to.data() + 2, header.destination_port);
  store_be16(to.data() + 4, header.length);
  store_be16(to.data() + 6, header.checksum);
}

namespace {

/// Option kinds and their sizes (IANA TCP parameters).
constexpr std::uint8_t kEnd = 0;
constexpr std::uint8_t kNop = 1;
constexpr std::uint8_t kMss = 2;
constexpr std::uint8_t kMssBytes = 4;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::uint8_t kWindowScaleBytes = 3;
constexpr std::uint8_t kSackPermitted = 4;
constexpr std::uint8_t kSackPermittedBytes = 2;
constexpr std::uint8_t kSack = 5;
constexpr std::uint8_t kSackBlockBytes = 8;
constexpr std::uint8_t kTimestamps = 8;
constexpr std::uint8_t kTimestampsBytes = 10;

bool load_sack_blocks(std::span<const std::uint8_t> data, TcpHeader& header) {
  const std::size_t count = data.size() / kSackBlockBytes;
  if (data.size() % kSackBlockBytes != 0 || count == 0 || count > kTcpMaxSackBlocks) return false;
  header.sack_block_count = static_cast<std::uint8_t>(count);
  header.sack_blocks = {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* block = data.data() + i * kSackBlockBytes;
    header.sack_blocks[i] = {load_be32(block), load_be32(block + 4)};
  }
  return true;
}

/// Stores the value of one option in `header`. Returns false if a known kind has a wrong size.
bool load_option(std::span<const std::uint8_t> option, TcpHeader& header) {
  const std::uint8_t* bytes = option.data();
  switch (bytes[0]) {
    case kMss:
      if (option.size() != kMssBytes) return false;
      header.mss = load_be16(bytes + 2);
      return true;
    case kWindowScale:
      if (option.size() != kWindowScaleBytes) return false;
      header.window_scale = bytes[2];
      return true;
    case kSackPermitted:
      header.sack_permitted |= option.size() == kSackPermittedBytes;
      return option.size() == kSackPermittedBytes;
    case kSack:
      return load_sack_blocks(option.subspan(2), header);
    case kTimestamps:
      if (option.size() != kTimestampsBytes) return false;
      header.timestamps = {load_be32(bytes + 2), load_be32(bytes + 6)};
      return true;
    default:
      return true;
  }
}

/// Stores the values of all options in `header`. Returns false if one of them is ignored.
bool load_options(std::span<const std::uint8_t> options, TcpHeader& header) {
  bool is_right = true;
  while (!options.empty() && options[0] != kEnd) {
    if (options[0] == kNop) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) return false;
    is_right &= load_option(options.first(options[1]), header);
    options = options.subspan(options[1]);
  }
  return is_right;
}

/// Appends bytes and numbers at an advancing position.
class OptionWriter {
 public:
  explicit OptionWriter(std::uint8_t* at) : at_(at) {}

  void bytes(std::initializer_list<std::uint8_t> values) {
    at_ = std::ranges::copy(values, at_).out;
  }
  void be16(std::uint16_t value) {
    store_be16(at_, value);
    at_ += 2;
  }
  void be32(std::uint32_t value) {
    store_be32(at_, value);
    at_ += 4;
  }

 private:
  std::uint8_t* at_;
};

void write_options(const TcpHeader& header, OptionWriter to) {
  if (header.mss) {
    to.bytes({kMss, kMssBytes});
    to.be16(*header.mss);
  }
  // SACK-permitted (2 bytes) and timestamps (10 bytes) need no padding together; one alone does.
  const bool has_timestamps = header.timestamps.has_value();
  if (header.sack_permitted != has_timestamps) to.bytes({kNop, kNop});
  if (header.sack_permitted) to.bytes({kSackPermitted, kSackPermittedBytes});
  if (has_timestamps) {
    to.bytes({kTimestamps, kTimestampsBytes});
    to.be32(header.timestamps->value);
    to.be32(header.timestamps->echo);
  }
  if (header.window_scale) to.bytes({kNop, kWindowScale, kWindowScaleBytes, *header.window_scale});
  if (header.sack_block_count > 0) {
    to.bytes({kNop, kNop, kSack,
              static_cast<std::uint8_t>(2 + kSackBlockBytes * header.sack_block_count)});
    for (const TcpSackBlock& block : std::span(header.sack_blocks).first(header.sack_block_count)) {
      to.be32(block.left);
      to.be32(block.right);
    }
  }
}

}  // namespace

std::size_t header_bytes(const TcpHeader& header) {
  const std::size_t pair = header.timestamps ? 12 : header.sack_permitted ? 4 : 0;
  const std::size_t blocks = header.sack_block_count;
  return kTcpBytes + (header.mss ? kMssBytes : 0u) + pair + (header.window_scale ? 4u : 0u) +
         (blocks > 0 ? 4 + kSackBlockBytes * blocks : 0u);
}

std::optional<Inspected<ParsedTcp>> inspect_tcp(std::span<const std::uint8_t> segment) {
  if (segment.size() < kTcpBytes) return std::nullopt;
  const std::uint8_t* bytes = segment.data();
  const std::size_t length = (bytes[12] >> 4) * 4u;
  Inspected<ParsedTcp> inspected{
      .header = {.header = {.source_port = load_be16(bytes),
                            .destination_port = load_be16(bytes + 2),
                            .sequence = load_be32(bytes + 4),
                            .acknowledgement = load_be32(bytes + 8),
                            .flags = bytes[13],
                            .reserved_4 = static_cast<std::uint8_t>(bytes[12] & 0xf),
                            .window = load_be16(bytes + 14),
                            .checksum = load_be16(bytes + 16),
                            .urgent = load_be16(bytes + 18)},
                 .header_bytes = length},
      .problems = {}};
  inspected.problems.add(Problem::HeaderTooShort, length < kTcpBytes);
  inspected.problems.add(Problem::HeaderTruncated, length > segment.size());
  if (!inspected.problems.empty()) return inspected;
  const auto options = segment.subspan(kTcpBytes, length - kTcpBytes);
  inspected.problems.add(Problem::IgnoredOption, !load_options(options, inspected.header.header));
  return inspected;
}

Result<ParsedTcp, Drop> parse_tcp(std::span<const std::uint8_t> segment) {
  return accepted(inspect_tcp(segment));
}

void write(const TcpHeader& header, std::span<std::uint8_t> to) {
  const std::size_t length = header_bytes(header);
  assert(length <= kTcpMaxBytes && to.size() >= length && header.reserved_4 < 16);
  std::uint8_t* bytes = to.data();
  store_be16(bytes, header.source_port);
  store_be16(bytes + 2, header.destination_port);
  store_be32(bytes + 4, header.sequence);
  store_be32(bytes + 8, header.acknowledgement);
  bytes[12] = static_cast<std::uint8_t>(length / 4 << 4 | header.reserved_4);
  bytes[13] = header.flags;
  store_be16(bytes + 14, header.window);
  store_be16(bytes + 16, header.checksum);
  store_be16(bytes + 18, header.urgent);
  write_options(header, OptionWriter(bytes + kTcpBytes));
}

}  // namespace overlane::wire
