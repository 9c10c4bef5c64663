#include "sim/transport/scoreboard.h"

#include <algorithm>
#include <cassert>

namespace overlane::transport {
namespace {

using State = Scoreboard::State;

bool in_network(State state) {
  return state == State::InFlight || state == State::Retransmitted;
}
bool is_doubtful(State state) {
  return state == State::Sacked || state == State::Retransmitted;
}

}  // namespace

void Scoreboard::add(std::int64_t begin, std::uint32_t length) {
  sent_.push_back({begin, ++transmissions_, length, State::InFlight});
  pipe_ += length;
}

void Scoreboard::set_state(Sent& sent, State state) {
  pipe_ += std::int64_t{sent.length} * (int{in_network(state)} - int{in_network(sent.state)});
  doubtful_ += int{is_doubtful(state)} - int{is_doubtful(sent.state)};
  lost_ += int{state == State::Lost} - int{sent.state == State::Lost};
  if (state == State::Sacked) arrived_ = std::max(arrived_, sent.order);
  sent.state = state;
}

void Scoreboard::acknowledge(std::int64_t next_expected) {
  while (!sent_.empty() && sent_.front().end() <= next_expected) {
    set_state(sent_.front(), State::Sacked);
    --doubtful_;
    sent_.pop_front();
  }
  if (sent_.empty() || sent_.front().begin >= next_expected) return;
  // A piece of a segment that was cut smaller after its first transmission.
  Sent& front = sent_.front();
  const auto arrived = static_cast<std::uint32_t>(next_expected - front.begin);
  if (in_network(front.state)) pipe_ -= arrived;
  front.begin += arrived;
  front.length -= arrived;
}

void Scoreboard::sack(const SackBlock& block) {
  auto at = std::ranges::lower_bound(sent_, block.begin, {}, &Sent::begin);
  for (; at != sent_.end() && at->end() <= block.end; ++at)
    if (at->state != State::Sacked) set_state(*at, State::Sacked);
}

bool Scoreboard::find_losses() {
  if (doubtful_ == 0) return false;
  bool found = false;
  for (Sent& sent : sent_) {
    if (!in_network(sent.state) || sent.order + kReordering > arrived_) continue;
    set_state(sent, State::Lost);
    found = true;
  }
  return found;
}

void Scoreboard::lose_all() {
  for (Sent& sent : sent_)
    if (sent.state != State::Sacked) set_state(sent, State::Lost);
}

void Scoreboard::shrink(std::uint32_t largest) {
  std::deque<Sent> cut;
  for (Sent& sent : sent_) {
    if (sent.length <= largest || sent.state == State::Sacked) {
      cut.push_back(sent);
      continue;
    }
    if (sent.state != State::Lost) set_state(sent, State::Lost);
    --lost_;
    for (std::int64_t begin = sent.begin; begin < sent.end(); begin += largest) {
      const std::int64_t rest = sent.end() - begin;
      const auto length = static_cast<std::uint32_t>(std::min<std::int64_t>(largest, rest));
      cut.push_back({begin, sent.order, length, State::Lost});
      ++lost_;
    }
  }
  sent_ = std::move(cut);
}

const Scoreboard::Sent* Scoreboard::first_lost() const {
  if (lost_ == 0) return nullptr;
  const auto at = std::ranges::find(sent_, State::Lost, &Sent::state);
  return at == sent_.end() ? nullptr : &*at;
}

void Scoreboard::retransmit_first_lost() {
  const auto at = std::ranges::find(sent_, State::Lost, &Sent::state);
  assert(at != sent_.end());
  at->order = ++transmissions_;
  set_state(*at, State::Retransmitted);
}

}  // namespace overlane::transport
