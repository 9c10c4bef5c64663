#include "sim/transport/testing/tcp_pair.h"

#include <algorithm>

namespace overlane::transport {

void TcpPair::run_until(Picos end) {
  flush(client);
  flush(server);
  for (;;) {
    Picos next = end + picoseconds(1);
    if (!travelling_.empty()) next = std::min(next, travelling_.front().arrives);
    for (const TcpConnection* tcp : {&client, &server})
      next = std::min(next, tcp->deadline());
    if (next > end) break;
    now_ = std::max(now_, next);
    while (!travelling_.empty() && travelling_.front().arrives <= now_) {
      const Sent arrived = travelling_.front().sent;
      travelling_.erase(travelling_.begin());
      deliver(arrived);
      flush(arrived.from_client ? server : client);
    }
    for (TcpConnection* tcp : {&client, &server}) {
      if (tcp->deadline() <= now_) tcp->expire(now_);
      flush(*tcp);
    }
  }
  now_ = end;
}

void TcpPair::deliver(const Sent& sent) {
  TcpConnection& to = sent.from_client ? server : client;
  const std::int64_t before = to.received();
  const Picos sample = to.receive(sent.segment, now_);
  if (sample != kNever && !sent.from_client) round_trips.push_back(sample);
  if (!sent.from_client || server_reads) to.read(to.received() - before);
}

void TcpPair::flush(TcpConnection& from) {
  const bool from_client = &from == &client;
  while (const auto segment = from.next(now_)) {
    const Sent sent{now_, from_client, *segment};
    from.left_host(segment->ip_bytes());
    log.push_back(sent);
    const int number = (from_client ? client_count_ : server_count_)++;
    if (lose(sent, number)) continue;
    const Picos arrives = now_ + delay_ + late(sent, number);
    const auto behind = std::ranges::upper_bound(travelling_, arrives, {}, &Travelling::arrives);
    travelling_.insert(behind, {arrives, sent});
  }
}

std::vector<Picos> TcpPair::transmissions(std::int64_t sequence) const {
  std::vector<Picos> times;
  for (const Sent& sent : log)
    if (sent.from_client && sent.segment.length > 0 && sent.segment.sequence == sequence)
      times.push_back(sent.at);
  return times;
}

}  // namespace overlane::transport
