#include "dataplane/kernel/traffic/carry.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "dataplane/kernel/traffic/running_flow.h"

namespace overlane::kernel {

CpuTimes CpuTimes::operator-(const CpuTimes& earlier) const {
  return {.user = user - earlier.user,
          .system = system - earlier.system,
          .softirq = softirq - earlier.softirq,
          .idle = idle - earlier.idle,
          .stolen = stolen - earlier.stolen};
}

CpuTimes& CpuTimes::operator+=(const CpuTimes& other) {
  user += other.user;
  system += other.system;
  softirq += other.softirq;
  idle += other.idle;
  stolen += other.stolen;
  return *this;
}

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

/// Sleeps for `time`, or until `is_over` returns true.
void sleep_for(milliseconds time, const std::function<bool()>& is_over) {
  const auto until = Clock::now() + time;
  while (!is_over() && Clock::now() < until)
    std::this_thread::sleep_for(std::min<nanoseconds>(milliseconds(20), until - Clock::now()));
}

CpuTimes read_cpu_times() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  file >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {.user = (user + nice) / ticks,
          .system = system / ticks,
          .softirq = (irq + softirq) / ticks,
          .idle = (idle + iowait) / ticks,
          .stolen = steal / ticks};
}

}  // namespace

struct Traffic::State {
  std::vector<Flow> flows;
  Phase phase;
  std::deque<RunningFlow> running;
  nanoseconds counted{};
  std::vector<FlowFigures> before, after;
  CpuTimes cpu;

  ~State() { end(); }
  void end() {
    phase.over = true;
    for (RunningFlow& flow : running)
      flow.join();
  }
  std::vector<FlowFigures> figures() const {
    std::vector<FlowFigures> all;
    for (const RunningFlow& flow : running)
      all.push_back(flow.figures());
    return all;
  }
};

Traffic::Traffic(std::unique_ptr<State> state) : state_(std::move(state)) {}
Traffic::Traffic(Traffic&&) noexcept = default;
Traffic::~Traffic() = default;

Parsed<Traffic> Traffic::prepare(std::vector<Flow> flows) {
  auto state = std::make_unique<State>();
  state->flows = std::move(flows);
  for (const Flow& flow : state->flows) {
    OwnedFd socket;
    if (flow.has_server()) {
      auto server = open_server(flow.server, flow.port, flow.load);
      if (!server) return fail(server.error());
      socket = *std::move(server);
    }
    state->running.emplace_back(flow, state->phase, std::move(socket));
  }
  return Traffic(std::move(state));
}

void Traffic::run(const FlowTimes& times, const std::function<bool()>& is_over) {
  State& state = *state_;
  for (RunningFlow& flow : state.running)
    flow.start();
  sleep_for(times.warm_up, is_over);
  state.before = state.figures();
  const CpuTimes cpu = read_cpu_times();
  const auto begin = Clock::now();
  state.phase.counts = true;
  sleep_for(times.counted, is_over);
  state.phase.counts = false;
  state.phase.is_measured = true;
  state.counted = Clock::now() - begin;
  state.cpu = read_cpu_times() - cpu;
  state.after = state.figures();
}

Carried Traffic::finish() {
  State& state = *state_;
  state.end();
  Carried carried{.flows = {}, .cpu = state.cpu};
  for (std::size_t i = 0; i < state.running.size(); ++i) {
    FlowFigures figures = state.after[i];
    figures.counted = state.counted;
    figures.received_bytes -= state.before[i].received_bytes;
    figures.sent_messages -= state.before[i].sent_messages;
    figures.received_messages -= state.before[i].received_messages;
    figures.latency_ns = state.running[i].latency();
    figures.failure = state.running[i].failure();
    carried.flows.push_back(std::move(figures));
  }
  return carried;
}

Parsed<Carried> carry(std::vector<Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop) {
  auto traffic = Traffic::prepare(std::move(flows));
  if (!traffic) return fail(traffic.error());
  traffic->run(times, [&] { return stop.load(); });
  return traffic->finish();
}

}  // namespace overlane::kernel
