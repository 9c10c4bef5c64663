#include "dataplane/capture/capture_writer.h"

#include <array>
#include <cassert>
#include <utility>

namespace overlane::capture {
namespace {

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;

}  // namespace

Result<CaptureWriter> CaptureWriter::create(const std::string& path, LinkType link_type) {
  auto file = OutputFile::create(path);
  if (!file) return fail(file.error());
  constexpr std::uint32_t kVersion2Point4 = 2 | 4 << 16;
  file->append(little_endian(std::array<std::uint32_t, 6>{kNanosecondMagic, kVersion2Point4, 0, 0,
                                                          kLongestPacket, link_number(link_type)}));
  return CaptureWriter(*std::move(file));
}

void CaptureWriter::write(Timestamp timestamp, std::span<const std::uint8_t> packet) {
  assert(packet.size() <= kLongestPacket);
  const auto length = static_cast<std::uint32_t>(packet.size());
  file_.append(little_endian(std::array<std::uint32_t, 4>{
      static_cast<std::uint32_t>(timestamp.seconds), timestamp.nanoseconds, length, length}));
  file_.append(packet);
}

}  // namespace overlane::capture
