#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/finding/finding.h"

namespace overlane::capture {

// Reads pcap and pcapng files through libpcap, one packet at a time. CapturedPacket is a view
// of the reader's buffer: it is valid until the next call of next().

/// What a packet of a capture starts with.
enum class LinkType : std::uint8_t {
  Ethernet,
  RawIp,  ///< An IPv4 or IPv6 header; its version tells which.
  Ipv4,
  Ipv6,
  LinuxCooked,   ///< `tcpdump -i any` of older libpcap: 16 bytes in place of the link header.
  LinuxCooked2,  ///< `tcpdump -i any` of newer libpcap: 20 bytes, with the interface.
  Null,          ///< BSD loopback: four bytes of address family, in the byte order of its host.
  Loop,          ///< OpenBSD loopback: the same in network byte order.
};

/// The registered number in a file, which for raw IP differs from libpcap's own
/// (https://www.tcpdump.org/linktypes.html).
std::uint32_t link_number(LinkType type);

/// Seconds and nanoseconds since 1970-01-01 UTC. A file may claim any.
struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;

  /// "1759509014.343441000".
  std::string to_string() const;

  auto operator<=>(const Timestamp&) const = default;
};

/// One packet as it stands in a capture.
struct CapturedPacket {
  std::uint64_t number = 0;  ///< Counts from 1 in each file.
  Timestamp timestamp;
  std::span<const std::uint8_t> bytes;  ///< Captured bytes, a view.
  std::size_t length_bytes =
      0;  ///< Length on the wire; more than captured if a snap length cut it.
};

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
