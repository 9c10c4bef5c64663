#include "dataplane/dpdk/bench/bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_pause.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/dpdk/bench/write_frame.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/net/drop.h"

namespace overlane::dpdk {
namespace {

/// A path with the position of its traffic.
struct Running {
  Running(const BenchPath& its, std::uint16_t queue)
      : path(its), mac(its.in->mac()), out(*its.out, queue), back(*its.in, queue) {}

  const BenchPath& path;
  MacAddress mac;
  SendQueue out;
  SendQueue back;  ///< Packets that leave where they came from; there should be none.
  std::size_t next = 0;
};

using Clock = std::chrono::steady_clock;

/// One core's part in a measurement.
struct Part {
  // Input.
  const Generation& generation;
  std::span<const BenchPath> paths;
  std::uint32_t burst;
  std::uint64_t packets;
  std::uint16_t queue;
  std::function<bool()> wait;  ///< Waits for all cores; false if they will not start.
  // Output.
  BenchShare share;
  Clock::time_point begin;
  Clock::time_point end;
  std::uint64_t cycles = 0;
};

/// Forwards a burst along one path.
std::size_t forward_burst(const Part& part, Running& run, const adjacency::PuntFilter& exceptions,
                          node::IdentificationCounters& identification, PuntedPackets& punted) {
  const BenchPath& path = run.path;
  std::array<rte_mbuf*, adjacency::kBurst> received;
  const std::uint16_t count = rte_eth_rx_burst(path.in->id(), part.queue, received.data(),
                                               static_cast<std::uint16_t>(part.burst));
  const BenchTraffic& traffic = *path.traffic;
  std::size_t next = run.next;
  for (std::uint16_t i = 0; i < count; ++i) {
    write_frame(received[i], traffic.frame(next));
    next = next + 1 == traffic.size() ? 0 : next + 1;
  }
  run.next = next;
  const bool from_pods = path.ingress == forward::Ingress::Pod;
  take(part.generation, exceptions, identification, path.ingress, run.mac, {received.data(), count},
       from_pods ? run.back : run.out, from_pods ? run.out : run.back, punted);
  run.out.flush();
  run.back.flush();
  rte_pktmbuf_free_bulk(punted.packets.data(), static_cast<unsigned>(punted.count));
  return count;
}

void do_part(Part& part) {
  const adjacency::PuntFilter exceptions;
  node::IdentificationCounters identification;
  std::deque<Running> running;
  for (const BenchPath& path : part.paths)
    running.emplace_back(path, part.queue);
  PuntedPackets punted;
  if (!part.wait()) return;
  std::uint64_t offered = 0;
  part.begin = Clock::now();
  const std::uint64_t first_cycle = rte_rdtsc();
  while (offered < part.packets) {
    for (Running& run : running)
      offered += forward_burst(part, run, exceptions, identification, punted);
  }
  part.cycles = rte_rdtsc() - first_cycle;
  part.end = Clock::now();
  part.share.offered = offered;
  for (const Running& run : running) {
    part.share.forwarded += run.out.sent();
    part.share.refused += run.out.refused() + run.back.refused();
  }
}

int run_part(void* part) {
  do_part(*static_cast<Part*>(part));
  return 0;
}

std::uint64_t sum(const std::vector<BenchShare>& cores, std::uint64_t BenchShare::*count) {
  std::uint64_t all = 0;
  for (const BenchShare& one : cores)
    all += one.*count;
  return all;
}

BenchResult result_of(const std::deque<Part>& parts) {
  BenchResult result;
  std::chrono::duration<double, std::nano> time{};
  double cycles = 0;
  Clock::time_point begin = Clock::time_point::max();
  Clock::time_point end = Clock::time_point::min();
  for (const Part& part : parts) {
    result.cores.push_back(part.share);
    time += part.end - part.begin;
    cycles += static_cast<double>(part.cycles);
    begin = std::min(begin, part.begin);
    end = std::max(end, part.end);
  }
  const auto count = static_cast<double>(result.offered());
  const std::chrono::duration<double, std::micro> wall = end - begin;
  result.nanoseconds = time.count() / count;
  result.tsc_cycles = cycles / count;
  result.mpps = count / wall.count();
  return result;
}

std::string size_text(const BenchCase& one) {
  return one.size_bytes == 0 ? "imix" : std::to_string(one.size_bytes);
}

}  // namespace

std::uint64_t BenchResult::offered() const {
  return sum(cores, &BenchShare::offered);
}

std::uint64_t BenchResult::forwarded() const {
  return sum(cores, &BenchShare::forwarded);
}

std::uint64_t BenchResult::refused() const {
  return sum(cores, &BenchShare::refused);
}

bool BenchResult::is_complete() const {
  return std::ranges::all_of(cores,
                             [](const BenchShare& one) { return one.forwarded == one.offered; });
}

Parsed<BenchResult> measure(const Generation& generation, std::span<const BenchPath> paths,
                            std::uint32_t burst, std::uint64_t packets,
                            std::span<const unsigned> others) {
  std::atomic<std::size_t> missing = others.size() + 1;
  std::atomic<bool> given_up = false;
  const auto wait = [&] {
    --missing;
    while (missing > 0 && !given_up)
      rte_pause();
    return !given_up.load();
  };
  std::deque<Part> parts;
  for (std::uint16_t i = 0; i <= others.size(); ++i) {
    parts.push_back({.generation = generation,
                     .paths = paths,
                     .burst = burst,
                     .packets = packets / (others.size() + 1),
                     .queue = i,
                     .wait = wait});
  }
  int error = 0;
  std::size_t begun = 0;
  for (; begun < others.size() && error == 0; ++begun)
    error = rte_eal_remote_launch(run_part, &parts[begun + 1], others[begun]);
  given_up = error != 0;
  if (error == 0) do_part(parts[0]);
  for (std::size_t i = 0; i < begun; ++i)
    rte_eal_wait_lcore(others[i]);
  if (error != 0) return fail(dpdk_error("no core to measure on", error));
  return result_of(parts);
}

std::string BenchCase::name() const {
  return fmt::format("{}{}/{}/{}", mode, family == Family::Ipv6 ? "-ipv6" : "", direction,
                     size_text(*this));
}

nlohmann::ordered_json encode_traffic(const BenchCase& one) {
  nlohmann::ordered_json json{{"name", one.name()},
                              {"mode", one.mode},
                              {"family", one.family == Family::Ipv4 ? "ipv4" : "ipv6"},
                              {"direction", one.direction}};
  // IMIX has no single size.
  json["size_bytes"] = nullptr;
  if (one.size_bytes != 0) json["size_bytes"] = one.size_bytes;
  json.update({{"flows", one.flows}, {"routes", one.routes}});
  return json;
}

nlohmann::ordered_json encode(const BenchCase& one) {
  nlohmann::ordered_json json = encode_traffic(one);
  const BenchResult& result = one.result;
  json.update({{"cores", result.cores.size()},
               {"burst", one.burst},
               {"offered", result.offered()},
               {"forwarded", result.forwarded()},
               {"mpps", result.mpps},
               {"ns_per_packet", result.nanoseconds},
               {"tsc_cycles_per_packet", result.tsc_cycles}});
  json["drops"] = nlohmann::ordered_json::object();
  if (result.refused() != 0) {
    json["drops"][std::string(facts(Drop::NicQueueFull).name)] = result.refused();
  }
  if (one.load) json["load"] = encode(*one.load);
  return json;
}

std::string to_table(const std::vector<BenchCase>& cases) {
  const auto mode_text = [](const BenchCase& one) {
    return one.mode + (one.family == Family::Ipv6 ? " v6" : "");
  };
  const bool any_ipv6 =
      std::ranges::any_of(cases, [](const BenchCase& one) { return one.family == Family::Ipv6; });
  const int width = any_ipv6 ? 9 : 8;
  std::string text =
      fmt::format("{:<{}} {:<6} {:>5} {:>7} {:>7} {:>6} {:>6} {:>8} {:>8} {:>8}\n", "mode", width,
                  "way", "size", "flows", "routes", "burst", "cores", "Mpps", "ns", "TSC");
  for (const BenchCase& one : cases) {
    text += fmt::format("{:<{}} {:<6} {:>5} {:>7} {:>7} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>8.1f}\n",
                        mode_text(one), width, one.direction, size_text(one), one.flows, one.routes,
                        one.burst, one.result.cores.size(), one.result.mpps, one.result.nanoseconds,
                        one.result.tsc_cycles);
  }
  std::string loads;
  for (const BenchCase& one : cases)
    if (one.load) loads += load_lines(one.name(), *one.load);
  if (!loads.empty()) text += "\n" + load_heading() + loads;
  return text;
}

}  // namespace overlane::dpdk
