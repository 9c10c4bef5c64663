#include "dataplane/capture/capture_file.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pcap/pcap.h>

namespace overlane::capture {

std::string Timestamp::to_string() const {
  return fmt::format("{}.{:09}", seconds, nanoseconds);
}

std::uint32_t link_number(LinkType type) {
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

namespace {

struct LinkTypeRow {
  int dlt;
  LinkType type;
};

/// Link types with libpcap's numbers (https://www.tcpdump.org/linktypes.html).
constexpr std::array kLinkTypes = {
    LinkTypeRow{DLT_EN10MB, LinkType::Ethernet},
    LinkTypeRow{DLT_RAW, LinkType::RawIp},
    LinkTypeRow{DLT_IPV4, LinkType::Ipv4},
    LinkTypeRow{DLT_IPV6, LinkType::Ipv6},
    LinkTypeRow{DLT_LINUX_SLL, LinkType::LinuxCooked},
    LinkTypeRow{DLT_LINUX_SLL2, LinkType::LinuxCooked2},
    LinkTypeRow{DLT_NULL, LinkType::Null},
    LinkTypeRow{DLT_LOOP, LinkType::Loop},
};

std::optional<LinkType> link_type_of(int dlt) {
  for (const LinkTypeRow& row : kLinkTypes)
    if (row.dlt == dlt) return row.type;
  return std::nullopt;
}

std::string name_of(int dlt) {
  const char* name = pcap_datalink_val_to_name(dlt);
  return name != nullptr ? fmt::format("{} ({})", dlt, name) : fmt::format("{}", dlt);
}

Finding error_in(const std::string& name, std::string rule, std::string message,
                 std::string hint = "") {
  return {.rule = std::move(rule),
          .message = std::move(message),
          .place = {.file = name},
          .hint = std::move(hint)};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// Converts a timestamp. A file may contain nanoseconds above one second or below zero.
Timestamp timestamp_of(const pcap_pkthdr& header) {
  std::int64_t seconds = header.ts.tv_sec + header.ts.tv_usec / kNanosecondsPerSecond;
  std::int64_t rest = header.ts.tv_usec % kNanosecondsPerSecond;
  if (rest < 0) {
    rest += kNanosecondsPerSecond;
    --seconds;
  }
  return {.seconds = seconds, .nanoseconds = static_cast<std::uint32_t>(rest)};
}

}  // namespace

struct CaptureReader::File {
  struct Close {
    void operator()(pcap_t* open) const { pcap_close(open); }
  };
  std::string name;
  std::unique_ptr<pcap_t, Close> handle;
  LinkType link_type;
  std::uint64_t packets = 0;
};

CaptureReader::CaptureReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
CaptureReader::CaptureReader(CaptureReader&&) noexcept = default;
CaptureReader& CaptureReader::operator=(CaptureReader&&) noexcept = default;
CaptureReader::~CaptureReader() = default;

Result<CaptureReader> CaptureReader::open(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  std::unique_ptr<std::FILE, CloseFile> stream(path == "-" ? stdin
                                                           : std::fopen(path.c_str(), "rb"));
  if (!stream) return fail(error_in(name, "unreadable", std::strerror(errno)));
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  pcap_t* opened = pcap_fopen_offline_with_tstamp_precision(stream.get(),
                                                            PCAP_TSTAMP_PRECISION_NANO, why.data());
  if (opened == nullptr) {
    return fail(error_in(name, "no-capture", why.data(),
                         "captures are pcap or pcapng files, not compressed"));
  }
  std::ignore = stream.release();  // The handle closes it.
  std::unique_ptr<pcap_t, File::Close> handle(opened);
  const int dlt = pcap_datalink(handle.get());
  const std::optional<LinkType> type = link_type_of(dlt);
  if (!type) {
    return fail(error_in(name, "unsupported-link-type",
                         fmt::format("link type {} is not supported", name_of(dlt)),
                         "Ethernet, raw IP, Linux cooked, null and loop are"));
  }
  return CaptureReader(std::make_unique<File>(name, std::move(handle), *type));
}

LinkType CaptureReader::link_type() const {
  return file_->link_type;
}

Result<std::optional<CapturedPacket>> CaptureReader::next() {
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* bytes = nullptr;
  const int answer = pcap_next_ex(file_->handle.get(), &header, &bytes);
  if (answer == PCAP_ERROR_BREAK) return std::nullopt;
  const std::uint64_t number = file_->packets + 1;
  if (answer != 1) {
    return fail(error_in(file_->name, "cut-capture",
                         fmt::format("the capture breaks off in packet {}: {}", number,
                                     pcap_geterr(file_->handle.get()))));
  }
  file_->packets = number;
  return CapturedPacket{.number = number,
                        .timestamp = timestamp_of(*header),
                        .bytes = {bytes, header->caplen},
                        .length_bytes = std::max(header->len, header->caplen)};
}

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

/// Appends bytes padded to 32 bits, as required for options and packet data.
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
  // A full disk is often reported only when buffers are flushed.
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
  constexpr std::uint32_t kUnknown = ~0u;  // Unknown length of the section.
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
