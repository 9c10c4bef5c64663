#include "sim/run/app/datagram_turns.h"

#include <algorithm>

namespace overlane::run {

DatagramTimes::DatagramTimes(const TrafficGroup& group)
    : pace_(Bytes{group.payload_bytes}, {std::max<std::int64_t>(1, group.rate.count)}),
      arrivals_(group.arrivals),
      bit_picos_(std::int64_t{group.payload_bytes} * 8 * seconds(1).count),
      rate_(group.rate.count),
      on_(group.on),
      off_(group.off) {}

DatagramTimes::State DatagramTimes::begin(Picos start, RandomStream& random) const {
  State state;
  state.last.advance(start);
  if (on_) state.silent_next = start + Picos{on_->draw(random)};
  return state;
}

Picos DatagramTimes::next(State& state, RandomStream& random) const {
  Picos late;
  if (arrivals_ == Arrivals::Constant) {
    state.last.advance(pace_);
    const auto most = static_cast<std::uint64_t>(max_lateness().count);
    if (most > 0) late = {static_cast<std::int64_t>(random.below(most))};
  } else {
    state.last.advance({draw_exponential(random, bit_picos_, rate_)});
  }
  while (on_ && state.last.offset() >= state.silent_next) {
    const Picos silent{off_->draw(random)};
    state.last.advance(silent);
    state.silent_next += silent + Picos{on_->draw(random)};
  }
  return state.last.offset() + late;
}

}  // namespace overlane::run
