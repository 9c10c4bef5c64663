#include "scenarios/migration/observe/tcp_recovery.h"

#include "sim/transport/retransmission_timeout.h"

namespace overlane::migration {

std::optional<Picos> tcp_stall(Picos outage) {
  constexpr int kRetries = 15;  // net.ipv4.tcp_retries2
  if (outage.count == 0) return Picos{};
  for (int retry = 0; retry < kRetries; ++retry)
    if (const Picos at = transport::backed_off_time(retry); at >= outage) return at;
  return std::nullopt;
}

}  // namespace overlane::migration
