#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace overlane::capture {

using ByteVector = std::vector<std::uint8_t>;

/// Builds capture files field by field, in either byte order.
class CaptureBytes {
 public:
  explicit CaptureBytes(std::endian order) : order_(order) {}

  CaptureBytes& u16(std::uint32_t value) { return put(value, 2); }
  CaptureBytes& u32(std::uint32_t value) { return put(value, 4); }
  CaptureBytes& raw(const ByteVector& bytes);

  /// A pcap file's header (draft-ietf-opsawg-pcap, section 4).
  CaptureBytes& pcap_header(std::uint32_t magic, std::uint32_t link_type);
  CaptureBytes& pcap_packet(std::uint32_t seconds, std::uint32_t fraction, const ByteVector& bytes,
                            std::uint32_t cut_bytes = 0);

  /// A pcapng section with one interface of nanosecond timestamps (draft-ietf-opsawg-pcapng).
  CaptureBytes& pcapng_header(std::uint32_t link_type);
  CaptureBytes& pcapng_packet(std::uint64_t nanoseconds, const ByteVector& bytes);

  const ByteVector& bytes() const { return bytes_; }

 private:
  CaptureBytes& put(std::uint32_t value, unsigned count);

  std::endian order_;
  ByteVector bytes_;
};

/// Writes a temporary file of the test and returns its path.
std::string write_capture(const std::string& name, std::span<const std::uint8_t> bytes);

/// Parses hexadecimal digits such as "45 00 …" and ignores blanks.
ByteVector bytes_of(const std::string& hex);

}  // namespace overlane::capture
