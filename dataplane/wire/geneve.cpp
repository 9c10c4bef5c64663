#include "dataplane/wire/geneve.h"

#include <algorithm>
#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

constexpr std::uint8_t kControl = 0x80;
constexpr std::uint8_t kCritical = 0x40;
constexpr std::uint8_t kReserved = 0x3f;
constexpr std::size_t kOptionHeaderBytes = 4;

}  // namespace

bool GeneveHeader::operator==(const GeneveHeader& other) const {
  return control == other.control && critical == other.critical && reserved_6 == other.reserved_6 &&
         protocol == other.protocol && vni == other.vni && reserved_8 == other.reserved_8 &&
         std::ranges::equal(options, other.options);
}

Result<GeneveHeader, Drop> parse_geneve(std::span<const std::uint8_t> payload) {
  if (payload.size() < kGeneveBytes) return fail(Drop::Malformed);
  const std::uint8_t* bytes = payload.data();
  const std::size_t option_bytes = (bytes[0] & 0x3f) * 4u;
  const bool is_version_0 = bytes[0] >> 6 == 0;
  if (!is_version_0 || option_bytes > payload.size() - kGeneveBytes) return fail(Drop::Malformed);
  return GeneveHeader{.control = (bytes[1] & kControl) != 0,
                      .critical = (bytes[1] & kCritical) != 0,
                      .reserved_6 = static_cast<std::uint8_t>(bytes[1] & kReserved),
                      .protocol = load_be16(bytes + 2),
                      .vni = load_be24(bytes + 4),
                      .reserved_8 = bytes[7],
                      .options = payload.subspan(kGeneveBytes, option_bytes)};
}

void write(const GeneveHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= header_bytes(header) && header.vni < 1u << 24);
  assert(header.options.size() % 4 == 0 && header.options.size() <= kGeneveMaxOptionBytes);
  to[0] = static_cast<std::uint8_t>(header.options.size() / 4);
  to[1] = static_cast<std::uint8_t>((header.control ? kControl : 0u) |
                                    (header.critical ? kCritical : 0u) |
                                    (header.reserved_6 & kReserved));
  store_be16(to.data() + 2, header.protocol);
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
  std::ranges::copy(header.options, to.subspan(kGeneveBytes).begin());
}

std::optional<GeneveOption> GeneveOptions::next() {
  if (malformed_ || rest_.empty()) return std::nullopt;
  malformed_ = rest_.size() < kOptionHeaderBytes ||
               (rest_[3] & 0x1f) * 4u > rest_.size() - kOptionHeaderBytes;
  if (malformed_) return std::nullopt;
  const GeneveOption option{.option_class = load_be16(rest_.data()),
                            .type = rest_[2],
                            .data = rest_.subspan(kOptionHeaderBytes, (rest_[3] & 0x1f) * 4u)};
  rest_ = rest_.subspan(header_bytes(option));
  return option;
}

void write(const GeneveOption& option, std::span<std::uint8_t> to) {
  assert(to.size() >= header_bytes(option) && option.data.size() % 4 == 0 &&
         option.data.size() <= 124);
  store_be16(to.data(), option.option_class);
  to[2] = option.type;
  to[3] = static_cast<std::uint8_t>(option.data.size() / 4);
  std::ranges::copy(option.data, to.subspan(kOptionHeaderBytes).begin());
}

}  // namespace overlane::wire
