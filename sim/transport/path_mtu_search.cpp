#include "sim/transport/path_mtu_search.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace overlane::transport {
namespace {

std::uint16_t packet(std::uint32_t bytes) {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(bytes, 65'535));
}

}  // namespace

void PathMtuSearch::begin(const TcpConfig& config, std::uint32_t largest, std::uint32_t overhead,
                          Picos now) {
  largest_ = packet(largest);
  high_ = largest_;
  low_ = packet(std::min(config.base_mss + overhead, largest));
  since_ = now;
  searching_ = config.mtu_probing > 1;
}

std::uint32_t PathMtuSearch::limit() const {
  return searching_ ? low_ : std::numeric_limits<std::uint32_t>::max();
}

void PathMtuSearch::black_hole(const TcpConfig& config, std::uint32_t overhead, Picos now) {
  if (config.mtu_probing == 0) return;
  if (!searching_) {
    searching_ = true;
    since_ = now;
    return;
  }
  const std::uint32_t half = low_ <= overhead ? 0 : (low_ - overhead) / 2;
  const std::uint32_t mss = std::min<std::uint32_t>(config.base_mss, half);
  low_ = packet(std::max<std::uint32_t>(mss, config.mtu_probe_floor) + overhead);
}

void PathMtuSearch::lower(std::uint32_t mtu) {
  high_ = std::min(high_, packet(mtu));
  low_ = std::min(low_, high_);
}

std::uint32_t PathMtuSearch::next_probe(const TcpConfig& config, std::uint32_t overhead,
                                        Picos now) {
  if (!searching_ || probing()) return 0;
  const int interval = high_ - low_;
  if (interval >= std::max<int>(1, config.probe_threshold))
    return static_cast<std::uint32_t>(low_ + interval / 2);
  // The range is exhausted. The path may have changed since (tcp_mtu_check_reprobe).
  if (now - since_ < config.probe_interval) return 0;
  since_ = now;
  high_ = largest_;
  return low_ > overhead && high_ - low_ >= std::max<int>(1, config.probe_threshold)
             ? static_cast<std::uint32_t>(low_ + (high_ - low_) / 2)
             : 0;
}

void PathMtuSearch::probe_sent(std::uint32_t bytes, std::int64_t begin) {
  probe_ = packet(bytes);
  probe_begin_ = begin;
}

void PathMtuSearch::probe_arrived() {
  assert(probing());
  low_ = probe_;
  probe_ = 0;
}

void PathMtuSearch::probe_failed() {
  assert(probing());
  high_ = static_cast<std::uint16_t>(probe_ - 1);
  probe_ = 0;
}

}  // namespace overlane::transport
