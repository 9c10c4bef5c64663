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

// Capture files: reads pcap and pcapng through libpcap and writes pcapng, one packet at a time.
// CapturedPacket is a view of the reader's buffer: it is valid until the next call of next().

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

// Writes pcap and pcapng files byte for byte the same on every machine, without libpcap. All
// three classes remember the first write that failed and report it in close(), so that callers
// need no check per packet.

/// The file that a capture is written to. Remembers the first write that failed.
class OutputFile {
 public:
  /// Creates or empties it. Fails with the file's name when that is impossible.
  static Result<OutputFile> create(const std::string& path);

  void append(std::span<const std::uint8_t> bytes);

  /// Makes sure that everything arrived, or says what did not. No append() after it.
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

/// Captures are written little-endian on every machine.
template <std::size_t count>
std::array<std::uint8_t, count * 4> little_endian(const std::array<std::uint32_t, count>& words) {
  std::array<std::uint8_t, count * 4> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::uint8_t>(words[at / 4] >> at % 4 * 8);
  return bytes;
}

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
