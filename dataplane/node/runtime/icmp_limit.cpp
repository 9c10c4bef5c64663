#include "dataplane/node/runtime/icmp_limit.h"

#include <algorithm>

namespace overlane::node {
namespace {

constexpr std::uint8_t kDestinationUnreachable = 3;
constexpr std::uint8_t kFragmentationNeeded = 4;
constexpr std::uint8_t kPacketTooBig = 2;
constexpr std::uint8_t kFirstIcmpv6Information = 128;

/// icmp_ratemask: destination unreachable (3), source quench (4), time exceeded (11), parameter
/// problem (12).
constexpr std::uint32_t kRateMask = 6168;

/// After this time any bucket is full again, like the bucket of a new destination.
constexpr Picos kForget = kIcmpRateLimit * kIcmpBurst;

}  // namespace

bool is_icmp_limited(bool ipv4, std::uint8_t type, std::uint8_t code) {
  if (!ipv4) return type < kFirstIcmpv6Information && type != kPacketTooBig;
  if (type == kDestinationUnreachable && code == kFragmentationNeeded) return false;
  return type < 32 && (kRateMask >> type & 1) != 0;
}

bool IcmpLimit::allow(std::uint8_t type, std::uint8_t code, IpAddress destination,
                      std::uint8_t route_length, Picos now) {
  if (!is_icmp_limited(destination.is_ipv4(), type, code)) return true;
  retire(now);
  if (!take_common(now)) return false;
  Picos interval = kIcmpRateLimit;
  if (!destination.is_ipv4()) interval.count >>= (128 - route_length) / 32;
  return take(destination, interval, interval * kIcmpBurst, now);
}

bool IcmpLimit::allow_route_error(IpAddress destination, Picos now) {
  if (!destination.is_ipv4()) return true;
  retire(now);
  return take(destination, kRouteErrorCost, kRouteErrorBurst, now);
}

bool IcmpLimit::take_common(Picos now) {
  const Picos since = std::min(now - refilled_, seconds(1));
  if (since >= kIcmpRefill) {
    const std::int64_t earned = kIcmpMessagesPerSecond * since.count / seconds(1).count;
    credit_ = std::min(credit_ + earned, kIcmpMessagesBurst);
    refilled_ = now;
  }
  if (credit_ == 0) return false;
  --credit_;
  return true;
}

bool IcmpLimit::take(IpAddress destination, Picos cost, Picos most, Picos now) {
  const auto [at, is_new] = destinations_.try_emplace(destination);
  Bucket& bucket = at->second;
  if (is_new) {
    bucket = {kForget, now};
  } else {
    by_last_.erase({bucket.last, destination});
  }
  bucket.tokens = std::min(bucket.tokens + (now - bucket.last), most);
  bucket.last = now;
  by_last_.emplace(now, destination);
  if (bucket.tokens < cost) return false;
  bucket.tokens -= cost;
  return true;
}

void IcmpLimit::retire(Picos now) {
  while (!by_last_.empty() && by_last_.begin()->first + kForget <= now) {
    destinations_.erase(by_last_.begin()->second);
    by_last_.erase(by_last_.begin());
  }
}

}  // namespace overlane::node
