#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/capture/captured_packet.h"
#include "dataplane/capture/output_file.h"

namespace overlane::capture {

/// Writes a pcapng file of several interfaces, all of one link type and with nanoseconds,
/// little-endian on every machine (draft-ietf-opsawg-pcapng, sections 4.1 to 4.3). libpcap reads
/// no file whose interfaces have several link types.
class PcapngWriter {
 public:
  /// Creates or empties the file. Fails with the file's name when that is impossible.
  static Result<PcapngWriter> create(const std::string& path);

  /// Its number. All interfaces come before the first packet.
  std::uint32_t add_interface(std::string_view name, LinkType link_type);

  enum class Direction : std::uint8_t { Inbound = 1, Outbound = 2 };
  /// Appends one packet of at most CaptureWriter::kLongestPacket bytes, all of it captured, with a
  /// comment of at most 65,535 bytes unless it is empty. A disk that is full is reported by
  /// close().
  void write(std::uint32_t interface, Timestamp timestamp, std::span<const std::uint8_t> packet,
             Direction direction, std::string_view comment);

  /// Makes sure that everything arrived in the file, or says what did not. No write() after it.
  Result<void> close() { return file_.close(); }

 private:
  explicit PcapngWriter(OutputFile file) : file_(std::move(file)) {}
  void append_block(std::uint32_t type, std::span<const std::uint8_t> body);

  OutputFile file_;
  std::uint32_t interfaces_ = 0;
};

}  // namespace overlane::capture
