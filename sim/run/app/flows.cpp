#include "sim/run/app/flows.h"

#include <utility>

namespace overlane::run {

Flows::Flows(FlowTable& table, SocketTable sockets, Picos datagrams_end, core::Scheduler& scheduler,
             Accounts& accounts, PacketPath& path, const Border& border)
    : table_(table),
      scheduler_(scheduler),
      path_(path),
      border_(border),
      headers_(table, std::move(sockets), path.decisions()),
      timers_(table, scheduler),
      cpu_(table, path.network().services, path.cpu(), scheduler),
      sender_(table, headers_, timers_, cpu_, path, scheduler),
      churn_(table, headers_, path.network(), path.decisions().states(), scheduler, border),
      exchanges_(table, churn_, sender_, timers_, cpu_, scheduler, accounts),
      applications_(table, exchanges_, sender_, timers_, cpu_, path, scheduler, accounts,
                    datagrams_end),
      receiver_(table, headers_, applications_, exchanges_, sender_, path, accounts),
      restarts_(table, headers_, churn_, applications_, receiver_.reassembly(), path, scheduler,
                border) {}

void Flows::start() {
  for (EndpointId client = 0; client < table_.flows.size() * 2; client += 2)
    if (!border_.is_beyond(table_.end(client).node)) applications_.start(client);
  restarts_.stop_absent();
}

void Flows::arrive(PacketId id) {
  if (!path_.packets().is_read(id)) return receiver_.receive(id);
  applications_.finish_read(path_.packets().take_read(id));
}

void Flows::timer(EndpointId id) {
  if (!timers_.take(id)) return;
  const Picos now = scheduler_.now();
  Timers& timers = table_.timers(id);
  if (timers.turn <= now) {
    timers.turn = transport::kNever;
    applications_.take_turn(id);
  }
  if (!table_.end(id).is_tcp) return timers_.arm(id);
  TcpSocket& tcp = table_.socket(id);
  const bool had_failed = tcp.failed();
  tcp.expire(now);
  if (!had_failed && tcp.failed()) exchanges_.give_up(id);
  sender_.pump(id);  // pump() also arms the timers.
}

}  // namespace overlane::run
