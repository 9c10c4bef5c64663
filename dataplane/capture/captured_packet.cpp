#include "dataplane/capture/captured_packet.h"

#include <fmt/format.h>

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

}  // namespace overlane::capture
