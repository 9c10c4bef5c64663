#pragma once

#include <cstdint>
#include <string_view>

namespace overlane::cni {

/// The machines' one interface.
inline constexpr std::string_view kUplink = "eth0";

/// systemd's sysctl.d/50-default.conf sets net.ipv4.conf.*.rp_filter to loose; udev applies it to
/// new tunnel devices too.
inline constexpr std::uint8_t kLooseRpFilter = 2;

}  // namespace overlane::cni
