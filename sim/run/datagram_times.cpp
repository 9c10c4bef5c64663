#include "sim/run/datagram_times.h"

#include <algorithm>

namespace overlane::run {
namespace {

/// How late a sender's timer may fire. Without it, senders of equal rates would keep their order at
/// a full queue for good: one would get everything and the other nothing.
constexpr Picos kMostTimerJitter = microseconds(10);

}  // namespace

DatagramTimes::DatagramTimes(const TrafficGroup& group)
    : pace_(Bytes{group.payload_bytes}, {std::max<std::int64_t>(1, group.rate.count)}),
      arrivals_(group.arrivals),
      bit_picos_(std::int64_t{group.payload_bytes} * 8 * seconds(1).count),
      rate_(group.rate.count),
      on_(group.on),
      off_(group.off) {}

DatagramTimes::State DatagramTimes::begin(Picos start, RandomStream& random) const {
  State state{.sending = {}, .silent = start, .silent_next = {}};
  if (on_) state.silent_next = {on_->draw(random)};
  return state;
}

Picos DatagramTimes::next(State& state, RandomStream& random) const {
  Picos late;
  if (arrivals_ == Arrivals::Constant) {
    state.sending.advance(pace_);
    const auto most = static_cast<std::uint64_t>(std::min(pace_.gap(), kMostTimerJitter).count);
    if (most > 0) late = {static_cast<std::int64_t>(random.below(most))};
  } else {
    state.sending.advance({draw_exponential(random, bit_picos_, rate_)});
  }
  while (on_ && state.sending.offset() >= state.silent_next) {
    state.silent += {off_->draw(random)};
    state.silent_next += {on_->draw(random)};
  }
  return state.sending.offset() + state.silent + late;
}

}  // namespace overlane::run
