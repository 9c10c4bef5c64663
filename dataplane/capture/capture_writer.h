#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "dataplane/capture/captured_packet.h"
#include "dataplane/capture/output_file.h"
#include "results/finding/finding.h"

namespace overlane::capture {

/// Writes a pcap file with nanoseconds, little-endian on every machine
/// (draft-ietf-opsawg-pcap, sections 4 and 5).
class CaptureWriter {
 public:
  /// Creates or empties the file. Fails with the file's name when that is impossible.
  static Result<CaptureWriter> create(const std::string& path, LinkType link_type);

  /// Appends one packet of at most kLongestPacket bytes, all of it captured. A disk that is full is
  /// reported by close().
  void write(Timestamp timestamp, std::span<const std::uint8_t> packet);

  /// Makes sure that everything arrived in the file, or says what did not. No write() after it.
  Result<void> close() { return file_.close(); }

  /// The snap length of tcpdump; readers refuse longer packets.
  static constexpr std::size_t kLongestPacket = 262'144;

 private:
  explicit CaptureWriter(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
};

}  // namespace overlane::capture
