#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kGeneveBytes = 8;
inline constexpr std::size_t kGeneveMaxOptionBytes = 252;
inline constexpr std::uint16_t kGenevePort = 6081;
/// "Transparent Ethernet bridging": the payload is an Ethernet frame.
inline constexpr std::uint16_t kEtherTypeBridging = 0x6558;

/// A Geneve header (RFC 8926, section 3.4) of version 0.
struct GeneveHeader {
  bool control = false;         ///< O: a control packet.
  bool critical = false;        ///< C: an option has its critical bit set.
  std::uint8_t reserved_6 = 0;  ///< Six bits that are sent as zero and ignored.
  std::uint16_t protocol = kEtherTypeBridging;
  std::uint32_t vni = 0;        ///< 24 bits.
  std::uint8_t reserved_8 = 0;  ///< Eight more.
  /// A multiple of 4 and at most kGeneveMaxOptionBytes; after parsing, a part of the packet.
  std::span<const std::uint8_t> options;

  /// Options are compared by their bytes.
  bool operator==(const GeneveHeader& other) const;
};

/// Bytes that write() makes of it.
constexpr std::size_t header_bytes(const GeneveHeader& header) {
  return kGeneveBytes + header.options.size();
}

/// Drop::Malformed when the header or its options are truncated or the version is not 0, as
/// geneve_udp_encap_recv refuses it (drivers/net/geneve.c). Options are not looked into.
Result<GeneveHeader, Drop> parse_geneve(std::span<const std::uint8_t> payload);

/// Writes header_bytes(header) to the front of `to`, which must not overlap the options.
void write(const GeneveHeader& header, std::span<std::uint8_t> to);

/// RFC 8926, section 3.5.
struct GeneveOption {
  std::uint16_t option_class = 0;
  std::uint8_t type = 0;               ///< With its high bit, which is `critical`.
  std::span<const std::uint8_t> data;  ///< A multiple of 4 and at most 124 bytes.

  bool critical() const { return (type & 0x80) != 0; }
};

/// Reads the options of a header one by one.
class GeneveOptions {
 public:
  explicit GeneveOptions(std::span<const std::uint8_t> options) : rest_(options) {}

  /// The next option, or nothing at the end or at one that is longer than what is left.
  std::optional<GeneveOption> next();
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

/// Bytes that write() makes of an option.
constexpr std::size_t header_bytes(const GeneveOption& option) {
  return 4 + option.data.size();
}
/// Writes the option to the front of `to`, which must hold header_bytes(option).
void write(const GeneveOption& option, std::span<std::uint8_t> to);

}  // namespace overlane::wire
