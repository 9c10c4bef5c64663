#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/capture/captured_packet.h"
#include "results/finding/finding.h"

namespace overlane::capture {

/// Reads a capture packet by packet and holds one at a time: pcap of either byte order with micro-
/// or nanoseconds, and pcapng whose interfaces are of one link type.
class CaptureReader {
 public:
  /// Opens a file, or standard input for "-". Fails when it cannot be read, is no capture, or is of
  /// a link type that is no LinkType; the error names the file.
  static Result<CaptureReader> open(const std::string& path);

  CaptureReader(CaptureReader&&) noexcept;
  CaptureReader& operator=(CaptureReader&&) noexcept;
  ~CaptureReader();

  LinkType link_type() const;

  /// The next packet, whose bytes stay until the next call; nothing at the end. An error when the
  /// file ends inside a packet or goes on with what is none: the packets before it were good, there
  /// is none after it.
  Result<std::optional<CapturedPacket>> next();

 private:
  struct File;
  explicit CaptureReader(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace overlane::capture
