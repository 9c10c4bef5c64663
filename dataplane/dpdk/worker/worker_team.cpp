#include "dataplane/dpdk/worker/worker_team.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <rte_launch.h>
#include <thread>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

using forward::Ingress;

/// Slots of a handover ring: twice the descriptors of a port (testpmd's default).
constexpr std::uint32_t kHandoverSlots = 1024;

}  // namespace

node::IdentificationCounters identification_share(std::size_t share, std::size_t cores) {
  return {static_cast<std::uint16_t>(share), static_cast<std::uint16_t>(std::bit_ceil(cores))};
}

WorkerTeam::Member::Member(const NodePorts& ports, unsigned its_core, std::uint16_t queue,
                           std::uint16_t burst, const node::IdentificationCounters& share)
    : core(its_core),
      to_pods(ports.pods, queue),
      to_uplink(ports.uplink, queue),
      identification(share),
      worker(to_pods, to_uplink, queue, burst, identification) {}

Queues WorkerTeam::queues(std::size_t cores) {
  const auto send = static_cast<std::uint16_t>(cores);
  return {.receive = static_cast<std::uint16_t>(send > 1 ? send - 1 : 1), .send = send};
}

Parsed<std::unique_ptr<WorkerTeam>> WorkerTeam::make(const NodePorts& ports,
                                                     const std::vector<unsigned>& cores,
                                                     std::uint16_t burst,
                                                     std::uint32_t idle_microseconds) {
  std::unique_ptr<WorkerTeam> team(new WorkerTeam(idle_microseconds));
  for (std::uint16_t i = 0; i < cores.size(); ++i) {
    auto member = std::make_unique<Member>(ports, cores[i], i, burst,
                                           identification_share(i + 1u, cores.size() + 1));
    for (auto* handover : {&member->from_pods, &member->from_uplink}) {
      auto made = Handover::make(kHandoverSlots);
      if (!made) return fail(made.error());
      *handover = std::move(*made);
    }
    member->number = i;
    member->team = team.get();
    team->members_.push_back(std::move(member));
  }
  return team;
}

WorkerTeam::~WorkerTeam() {
  stop();
}

Result<void, std::string> WorkerTeam::start(Publication& tables) {
  tables_ = &tables;
  for (const auto& member : members_) {
    // Registers the reader now, because its core may start late: the tables are kept until it
    // reads.
    tables.enter(member->number);
    if (const int error = rte_eal_remote_launch(run, member.get(), member->core)) {
      tables.leave(member->number);
      return fail(dpdk_error(fmt::format("core {}", member->core), error));
    }
    member->is_running = true;
  }
  return {};
}

void WorkerTeam::stop() {
  stopped_.store(true, std::memory_order_relaxed);
  for (const auto& member : members_) {
    if (member->is_running) rte_eal_wait_lcore(member->core);
    member->is_running = false;
  }
}

int WorkerTeam::run(void* member) {
  auto& self = *static_cast<Member*>(member);
  self.team->forward(self);
  return 0;
}

void WorkerTeam::forward(Member& member) {
  const auto punt = [&](std::span<rte_mbuf* const> packets, Ingress ingress) {
    member.handover(ingress).give(packets);
  };
  while (!stopped_.load(std::memory_order_relaxed)) {
    const Tables& tables = tables_->read(member.number);
    const std::size_t came = member.worker.poll(*tables.generation, *tables.exceptions, punt);
    member.to_pods.flush();
    member.to_uplink.flush();
    if (came == 0 && idle_microseconds_ != 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(idle_microseconds_));
    }
  }
  tables_->leave(member.number);
}

TeamCounters WorkerTeam::counters() const {
  TeamCounters all;
  for (const auto& member : members_) {
    all.received += member->worker.received();
    all.ahead += member->worker.ahead();
    all.refused += member->from_pods->refused() + member->from_uplink->refused();
    all.to_pods += member->to_pods.sent();
    all.to_uplink += member->to_uplink.sent();
    all.not_sent += member->to_pods.refused() + member->to_uplink.refused();
  }
  return all;
}

}  // namespace overlane::dpdk
