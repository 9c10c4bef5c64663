#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "results/finding/finding.h"

namespace overlane::capture {

// Capture files: CaptureReader reads pcap and pcapng through libpcap, one packet at a time.
// CaptureWriter and PcapngWriter write files without libpcap. A CapturedPacket is a view of the
// reader's buffer and valid until the next call of next(). One thread may use a reader or a writer
// at a time.

/// The first header of each packet of a capture (link-layer header type).
enum class LinkType : std::uint8_t {
  Ethernet,
  RawIp,  ///< An IPv4 or IPv6 header, distinguished by its version.
  Ipv4,
  Ipv6,
  LinuxCooked,   ///< `tcpdump -i any` with older libpcap: 16 bytes instead of the link header.
  LinuxCooked2,  ///< `tcpdump -i any` with newer libpcap: 20 bytes, including the interface.
  Null,  ///< BSD loopback: four bytes of address family, in the byte order of the capturing host.
  Loop,  ///< OpenBSD loopback: as Null, but in network byte order.
};

/// The registered number of a link type in files. For raw IP it differs from libpcap's internal
/// number (https://www.tcpdump.org/linktypes.html).
std::uint32_t link_number(LinkType type);

/// Seconds and nanoseconds since 1970-01-01 UTC. Not validated: a file may contain any value.
struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;

  /// "1759509014.343441000".
  std::string to_string() const;

  auto operator<=>(const Timestamp&) const = default;
};

/// One packet of a capture, undecoded.
struct CapturedPacket {
  std::uint64_t number = 0;  ///< Number in its file, from 1.
  Timestamp timestamp;
  std::span<const std::uint8_t> bytes;  ///< Captured bytes (a view).
  std::size_t length_bytes =
      0;  ///< Length on the wire; more than captured if a snap length cut it.
};

/// Reads a capture and holds one packet at a time. Supports pcap in either byte order with micro-
/// or nanoseconds, and pcapng whose interfaces all have the same link type.
class CaptureReader {
 public:
  /// Opens a file, or standard input for "-". Fails if it cannot be read, is not a capture, or has
  /// a link type that is not in LinkType. The error contains the file name.
  static Result<CaptureReader> open(const std::string& path);

  CaptureReader(CaptureReader&&) noexcept;
  CaptureReader& operator=(CaptureReader&&) noexcept;
  ~CaptureReader();

  LinkType link_type() const;

  /// Returns the next packet, whose bytes are valid until the next call, or nothing at the end of
  /// the file. Returns an error if the file ends inside a packet or continues with invalid data.
  /// The packets before the error were valid; no packet follows it.
  Result<std::optional<CapturedPacket>> next();

 private:
  struct File;
  explicit CaptureReader(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

// Writers of pcap and pcapng files, without libpcap. The files have the same bytes on every
// machine. All three classes remember the first failed write and report it in close(), so that
// callers need no check per packet.

/// A capture file being written. Remembers the first failed write.
class OutputFile {
 public:
  /// Creates or truncates the file. Fails with the file name.
  static Result<OutputFile> create(const std::string& path);

  void append(std::span<const std::uint8_t> bytes);

  /// Flushes and closes the file. Returns an error if any write failed. Do not call append() after
  /// it.
  Result<void> close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  OutputFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  int failure_ = 0;  ///< The errno of the first write that failed.
};

/// The bytes of 32-bit words in little-endian order, in which captures are written on every
/// machine.
template <std::size_t count>
std::array<std::uint8_t, count * 4> little_endian(const std::array<std::uint32_t, count>& words) {
  std::array<std::uint8_t, count * 4> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::uint8_t>(words[at / 4] >> at % 4 * 8);
  return bytes;
}

/// Writes a pcap file with nanosecond timestamps, little-endian (draft-ietf-opsawg-pcap, sections 4
/// and 5).
class CaptureWriter {
 public:
  /// Creates or truncates the file. Fails with the file name.
  static Result<CaptureWriter> create(const std::string& path, LinkType link_type);

  /// Appends a completely captured packet of at most kLongestPacket bytes. close() reports write
  /// errors, such as a full disk.
  void write(Timestamp timestamp, std::span<const std::uint8_t> packet);

  /// Flushes and closes the file. Returns an error if any write failed. Do not call write() after
  /// it.
  Result<void> close() { return file_.close(); }

  /// The snap length of tcpdump. Readers reject longer packets.
  static constexpr std::size_t kLongestPacket = 262'144;

 private:
  explicit CaptureWriter(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
};

/// Writes a pcapng file, little-endian (draft-ietf-opsawg-pcapng, sections 4.1 to 4.3). It may have
/// several interfaces, all with the same link type and nanosecond timestamps: libpcap rejects files
/// with several link types.
class PcapngWriter {
 public:
  /// Creates or truncates the file. Fails with the file name.
  static Result<PcapngWriter> create(const std::string& path);

  /// Adds an interface and returns its number. Add all interfaces before the first packet.
  std::uint32_t add_interface(std::string_view name, LinkType link_type);

  enum class Direction : std::uint8_t { Inbound = 1, Outbound = 2 };
  /// Appends a completely captured packet of at most CaptureWriter::kLongestPacket bytes, with a
  /// comment of at most 65,535 bytes (none if empty). close() reports write errors, such as a full
  /// disk.
  void write(std::uint32_t interface, Timestamp timestamp, std::span<const std::uint8_t> packet,
             Direction direction, std::string_view comment);

  /// Flushes and closes the file. Returns an error if any write failed. Do not call write() after
  /// it.
  Result<void> close() { return file_.close(); }

 private:
  explicit PcapngWriter(OutputFile file) : file_(std::move(file)) {}
  void append_block(std::uint32_t type, std::span<const std::uint8_t> body);

  OutputFile file_;
  std::uint32_t interfaces_ = 0;
};

}  // namespace overlane::capture
