#include "dataplane/capture/capture_reader.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

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

/// libpcap's number of each link type (https://www.tcpdump.org/linktypes.html).
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

/// A file may claim more nanoseconds than a second has, or fewer than none.
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

}  // namespace overlane::capture
