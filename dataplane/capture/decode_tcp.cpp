#include <string>

#include "dataplane/capture/dissection.h"
#include "dataplane/wire/tcp.h"

namespace overlane::capture {
namespace {

constexpr std::size_t kTcpChecksumOffset = 16;

/// Option kinds (IANA TCP parameters).
constexpr std::uint8_t kMss = 2;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::uint8_t kSackPermitted = 4;
constexpr std::uint8_t kSack = 5;
constexpr std::uint8_t kTimestamps = 8;

std::vector<Fields> options_of(const wire::TcpHeader& header) {
  std::vector<Fields> list;
  if (header.mss) list.push_back({{"option_kind", kMss}, {"mss_val", *header.mss}});
  if (header.window_scale)
    list.push_back({{"option_kind", kWindowScale}, {"shift", *header.window_scale}});
  if (header.sack_permitted) list.push_back({{"option_kind", kSackPermitted}});
  if (header.timestamps) {
    list.push_back({{"option_kind", kTimestamps},
                    {"tsval", std::uint64_t{header.timestamps->value}},
                    {"tsecr", std::uint64_t{header.timestamps->echo}}});
  }
  for (std::size_t at = 0; at < header.sack_block_count; ++at) {
    const wire::TcpSackBlock& block = header.sack_blocks[at];
    list.push_back({{"option_kind", kSack},
                    {"sack_le", std::uint64_t{block.left}},
                    {"sack_re", std::uint64_t{block.right}}});
  }
  return list;
}

Fields fields_of(const wire::ParsedTcp& parsed) {
  const wire::TcpHeader& header = parsed.header;
  return {
      {"srcport", header.source_port},         {"dstport", header.destination_port},
      {"seq", std::uint64_t{header.sequence}}, {"ack", std::uint64_t{header.acknowledgement}},
      {"hdr_len", parsed.header_bytes},        {"flags", header.reserved_4 * 256u + header.flags},
      {"window_size_value", header.window},    {"checksum", header.checksum},
      {"urgent_pointer", header.urgent},       {"options", options_of(header)}};
}

}  // namespace

void decode_tcp(Dissection& dissection, const Upper& upper, const Slice& slice) {
  constexpr auto kKind = LayerKind::Tcp;
  const auto inspected = wire::inspect_tcp(slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [parsed, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, found = parsed.header_bytes](wire::Problem problem) {
                            if (problem == wire::Problem::HeaderTooShort)
                              return too_few(found, wire::kTcpBytes);
                            if (problem == wire::Problem::HeaderTruncated)
                              return too_many(found, slice.length);
                            return std::string();
                          });
  const std::size_t header_bytes = std::max(parsed.header_bytes, wire::kTcpBytes);
  const std::size_t layer = dissection.add(kKind, slice, header_bytes, fields_of(parsed));
  dissection.add_payload(slice.from(header_bytes));
  if (slice.is_whole()) dissection.judge_checksum(layer, upper, slice.bytes, kTcpChecksumOffset);
}

}  // namespace overlane::capture
