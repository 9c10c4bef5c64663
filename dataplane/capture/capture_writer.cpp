#include "dataplane/capture/capture_writer.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace overlane::capture {
namespace {

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;

/// The registered number in the file, which for raw IP differs from libpcap's own
/// (https://www.tcpdump.org/linktypes.html).
std::uint32_t number_of(LinkType type) {
  switch (type) {
    case LinkType::Ethernet:
      return 1;
    case LinkType::RawIp:
      return 101;
    case LinkType::Ipv4:
      return 228;
    case LinkType::Ipv6:
      return 229;
    case LinkType::LinuxCooked:
      return 113;
    case LinkType::LinuxCooked2:
      return 276;
    case LinkType::Null:
      return 0;
    case LinkType::Loop:
      return 108;
  }
  return 0;
}

template <std::size_t count>
std::array<std::uint8_t, count * 4> little_endian(const std::array<std::uint32_t, count>& words) {
  std::array<std::uint8_t, count * 4> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::uint8_t>(words[at / 4] >> at % 4 * 8);
  return bytes;
}

Finding cannot_write(const std::string& path, int failure) {
  return {.rule = "unwritable", .message = std::strerror(failure), .place = {.file = path}};
}

}  // namespace

Result<CaptureWriter> CaptureWriter::create(const std::string& path, LinkType link_type) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return fail(cannot_write(path, errno));
  CaptureWriter writer(path, file);
  constexpr std::uint32_t kVersion2Point4 = 2 | 4 << 16;
  writer.append(little_endian(std::array<std::uint32_t, 6>{kNanosecondMagic, kVersion2Point4, 0, 0,
                                                           kLongestPacket, number_of(link_type)}));
  return writer;
}

void CaptureWriter::write(Timestamp timestamp, std::span<const std::uint8_t> packet) {
  assert(packet.size() <= kLongestPacket);
  const auto length = static_cast<std::uint32_t>(packet.size());
  append(little_endian(std::array<std::uint32_t, 4>{static_cast<std::uint32_t>(timestamp.seconds),
                                                    timestamp.nanoseconds, length, length}));
  append(packet);
}

void CaptureWriter::append(std::span<const std::uint8_t> bytes) {
  assert(file_ != nullptr);
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() && failure_ == 0)
    failure_ = errno;
}

Result<void> CaptureWriter::close() {
  assert(file_ != nullptr);
  errno = 0;
  // A full disk often shows only when buffers are flushed.
  if (std::fclose(file_.release()) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ != 0) return fail(cannot_write(path_, failure_));
  return {};
}

}  // namespace overlane::capture
