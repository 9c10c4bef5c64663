#include "dataplane/capture/testing/capture_bytes.h"

#include <cctype>
#include <filesystem>
#include <fstream>

namespace overlane::capture {

CaptureBytes& CaptureBytes::put(std::uint32_t value, unsigned count) {
  for (unsigned at = 0; at < count; ++at) {
    const unsigned place = order_ == std::endian::little ? at : count - 1 - at;
    bytes_.push_back(static_cast<std::uint8_t>(value >> place * 8));
  }
  return *this;
}

CaptureBytes& CaptureBytes::raw(const ByteVector& bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

CaptureBytes& CaptureBytes::pcap_header(std::uint32_t magic, std::uint32_t link_type) {
  return u32(magic).u16(2).u16(4).u32(0).u32(0).u32(262'144).u32(link_type);
}

CaptureBytes& CaptureBytes::pcap_packet(std::uint32_t seconds, std::uint32_t fraction,
                                        const ByteVector& bytes, std::uint32_t cut_bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return u32(seconds).u32(fraction).u32(size).u32(size + cut_bytes).raw(bytes);
}

CaptureBytes& CaptureBytes::pcapng_header(std::uint32_t link_type) {
  u32(0x0a0d0d0a).u32(28).u32(0x1a2b3c4d).u16(1).u16(0).u32(0xffffffff).u32(0xffffffff).u32(28);
  // Option 9 (if_tsresol) with value 9: nanoseconds.
  u32(1).u32(32).u16(link_type).u16(0).u32(0);
  return u16(9).u16(1).raw({9, 0, 0, 0}).u16(0).u16(0).u32(32);
}

CaptureBytes& CaptureBytes::pcapng_packet(std::uint64_t nanoseconds, const ByteVector& bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::uint32_t padding = (4 - size % 4) % 4;
  const std::uint32_t length = 32 + size + padding;
  u32(6).u32(length).u32(0);
  u32(static_cast<std::uint32_t>(nanoseconds >> 32)).u32(static_cast<std::uint32_t>(nanoseconds));
  return u32(size).u32(size).raw(bytes).raw(ByteVector(padding)).u32(length);
}

std::string write_capture(const std::string& name, std::span<const std::uint8_t> bytes) {
  const std::string path = std::filesystem::temp_directory_path() / ("overlane_capture_" + name);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path;
}

ByteVector bytes_of(const std::string& hex) {
  std::string digits;
  for (const char c : hex)
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  ByteVector bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(at, 2), nullptr, 16)));
  return bytes;
}

}  // namespace overlane::capture
