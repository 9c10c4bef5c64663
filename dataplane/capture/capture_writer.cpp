#include "dataplane/capture/capture_writer.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace overlane::capture {
namespace {

Finding cannot_write(const std::string& path, int failure) {
  return {.rule = "unwritable", .message = std::strerror(failure), .place = {.file = path}};
}

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;

constexpr std::uint16_t kComment = 1;
constexpr std::uint16_t kInterfaceName = 2;
constexpr std::uint16_t kPacketFlags = 2;
constexpr std::uint16_t kTimestampResolution = 9;
constexpr std::uint16_t kEndOfOptions = 0;

using Body = std::vector<std::uint8_t>;

template <std::size_t count>
void append(Body& body, const std::array<std::uint32_t, count>& words) {
  const auto bytes = little_endian(words);
  body.insert(body.end(), bytes.begin(), bytes.end());
}

/// Padded to 32 bits, as options and packet data are.
void append_padded(Body& body, std::span<const std::uint8_t> bytes) {
  body.insert(body.end(), bytes.begin(), bytes.end());
  body.resize((body.size() + 3) / 4 * 4);
}

void append_option(Body& body, std::uint16_t code, std::span<const std::uint8_t> value) {
  append(body, std::array{code | static_cast<std::uint32_t>(value.size()) << 16});
  append_padded(body, value);
}

void append_option(Body& body, std::uint16_t code, std::string_view text) {
  append_option(body, code,
                std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return fail(cannot_write(path, errno));
  return OutputFile(path, file);
}

void OutputFile::append(std::span<const std::uint8_t> bytes) {
  assert(file_ != nullptr);
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() && failure_ == 0)
    failure_ = errno;
}

Result<void> OutputFile::close() {
  assert(file_ != nullptr);
  errno = 0;
  // A full disk often shows only when buffers are flushed.
  if (std::fclose(file_.release()) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ != 0) return fail(cannot_write(path_, failure_));
  return {};
}

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

Result<PcapngWriter> PcapngWriter::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return fail(file.error());
  PcapngWriter writer(*std::move(file));
  constexpr std::uint32_t kVersion1Point0 = 1;
  constexpr std::uint32_t kUnknown = ~0u;  // The section's length.
  Body body;
  append(body, std::array{kByteOrderMagic, kVersion1Point0, kUnknown, kUnknown});
  writer.append_block(kSectionHeader, body);
  return writer;
}

std::uint32_t PcapngWriter::add_interface(std::string_view name, LinkType link_type) {
  constexpr std::array<std::uint8_t, 1> kNanoseconds{9};
  Body body;
  append(body, std::array<std::uint32_t, 2>{link_number(link_type), CaptureWriter::kLongestPacket});
  append_option(body, kInterfaceName, name);
  append_option(body, kTimestampResolution, kNanoseconds);
  append_option(body, kEndOfOptions, std::string_view());
  append_block(kInterfaceDescription, body);
  return interfaces_++;
}

void PcapngWriter::write(std::uint32_t interface, Timestamp timestamp,
                         std::span<const std::uint8_t> packet, Direction direction,
                         std::string_view comment) {
  assert(interface < interfaces_ && packet.size() <= CaptureWriter::kLongestPacket);
  const std::uint64_t time =
      static_cast<std::uint64_t>(timestamp.seconds) * 1'000'000'000 + timestamp.nanoseconds;
  const auto length = static_cast<std::uint32_t>(packet.size());
  Body body;
  append(body, std::array{interface, static_cast<std::uint32_t>(time >> 32),
                          static_cast<std::uint32_t>(time), length, length});
  append_padded(body, packet);
  if (!comment.empty()) append_option(body, kComment, comment);
  append_option(body, kPacketFlags, little_endian(std::array{std::uint32_t(direction)}));
  append_option(body, kEndOfOptions, std::string_view());
  append_block(kEnhancedPacket, body);
}

void PcapngWriter::append_block(std::uint32_t type, std::span<const std::uint8_t> body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 12);
  file_.append(little_endian(std::array{type, length}));
  file_.append(body);
  file_.append(little_endian(std::array{length}));
}

}  // namespace overlane::capture
