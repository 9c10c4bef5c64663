#include "tools/fastpath/forward.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <pthread.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/adjacency/burst.h"
#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/wire/ethernet.h"
#include "tools/fastpath/command_line.h"
#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

Parsed<Signals> Signals::take() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
    sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // Ignore SIGPIPE, so that forwarding continues if the reader of the reports exits.
  std::signal(SIGPIPE, SIG_IGN);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd < 0) return fail(std::string("no descriptor for signals"));
  return Signals(fd);
}

Signals::Signals(Signals&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Signals::~Signals() {
  if (fd_ >= 0) close(fd_);
}

void Signals::give_back() const {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::optional<Signals::Request> Signals::next() const {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  switch (info.ssi_signo) {
    case SIGHUP:
      return Request::Reload;
    case SIGUSR1:
      return Request::Report;
    default:
      return Request::Stop;
  }
}

ReportWriter::ReportWriter(const std::string& file)
    : stream_(file), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ReportWriter::offer(std::string report) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(report);
  }
  changed_.notify_one();
}

void ReportWriter::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // After a stop, runs once more if a report is pending.
  while (changed_.wait(lock, stop, [this] { return waiting_.has_value(); })) {
    const std::string report = *std::exchange(waiting_, std::nullopt);
    lock.unlock();
    stream_.write(report);
    stream_.flush();
    lock.lock();
  }
}

command::ExitCode ReportWriter::finish(const std::string& last) {
  thread_.request_stop();
  thread_.join();
  stream_.write(last);
  return stream_.finish();
}

namespace {

using command::ExitCode;
using dpdk::GenerationMaker;

/// Interval at which the main loop checks signals and the state of the ports.
constexpr Picos kLook = milliseconds(10);
constexpr Picos kLookAtPorts = seconds(1);
/// Picos can represent 106 days.
constexpr Picos kLongest = seconds(100 * 86'400);
constexpr int kLastPolls = 8;

std::uint32_t pod_mtu(const node::NodeState& state) {
  std::uint32_t most = 0;
  for (const node::LocalPod& pod : state.pods)
    most = std::max(most, pod.mtu);
  return most;
}

std::uint32_t uplink_mtu(const node::NodeState& state) {
  const node::Device* uplink = state.uplink();
  return uplink == nullptr ? 0 : uplink->mtu;
}

/// A node's ports and their packet pool.
struct Ports {
  dpdk::PacketPool pool;
  std::vector<std::pair<std::string, dpdk::Port>> by_side;

  const dpdk::Port& pods() const { return by_side[0].second; }
  const dpdk::Port& uplink() const { return by_side[1].second; }
  const dpdk::Port* host() const { return by_side.size() > 2 ? &by_side[2].second : nullptr; }
  dpdk::NodePorts of_node() const { return {pods(), uplink(), host()}; }
};

Parsed<Ports> open_ports(const ForwardOptions& options, const node::NodeState& state) {
  // Drivers also count a VLAN tag and the FCS, and round the buffer size down.
  constexpr std::uint32_t kBeside = wire::kEthernetBytes + 8;
  constexpr std::uint32_t kStep = dpdk::PacketPool::kDefaultFrameBytes / 2;
  const std::uint32_t largest = std::max(pod_mtu(state), uplink_mtu(state)) + kBeside;
  auto pool = dpdk::PacketPool::make(options.buffers,
                                     std::max(2 * kStep, (largest + kStep - 1) / kStep * kStep));
  if (!pool) return fail(pool.error());
  Ports ports{std::move(*pool), {}};
  const auto open = [&](const char* side, const std::string& device, const dpdk::Queues& queues,
                        std::uint32_t mtu) -> Result<void, std::string> {
    auto port = dpdk::Port::start(device, queues, mtu, ports.pool);
    if (!port) return fail(port.error());
    ports.by_side.emplace_back(side, std::move(*port));
    return {};
  };
  const dpdk::Queues queues = dpdk::WorkerTeam::queues(options.eal.cores.size());
  auto opened = open("pods", options.pods, queues, pod_mtu(state));
  if (opened) opened = open("uplink", options.uplink, queues, uplink_mtu(state));
  if (opened && !options.host.empty()) opened = open("host", options.host, {}, uplink_mtu(state));
  if (!opened) return fail(opened.error());
  return ports;
}

/// Starts workers on all cores except the first; null if there are none.
Parsed<std::unique_ptr<dpdk::WorkerTeam>> make_team(const ForwardOptions& options,
                                                    const dpdk::NodePorts& ports) {
  const std::vector<unsigned> cores(options.eal.cores.begin() + 1, options.eal.cores.end());
  if (cores.empty()) return std::unique_ptr<dpdk::WorkerTeam>();
  return dpdk::WorkerTeam::make(
      ports, cores, options.burst,
      static_cast<std::uint32_t>(options.idle.count / microseconds(1).count));
}

/// The running forwarder, with reports, signals and reloading.
class Run {
 public:
  Run(const ForwardOptions& options, const Signals& signals, const Ports& ports,
      ReportWriter& reports, std::unique_ptr<dpdk::WorkerTeam> team)
      : options_(options),
        signals_(signals),
        ports_(ports),
        reports_(reports),
        forwarder_(ports.pool, ports.of_node(), options.burst, std::move(team)) {}

  Result<void, std::string> begin(std::shared_ptr<const node::NodeState> state) {
    auto first = dpdk::generation(std::move(state));
    if (!first) return fail(first.error());
    forwarder_.replace(std::move(*first), now());
    return forwarder_.start_team();
  }

  /// Forwards until stopped.
  ExitCode loop() {
    while (!stopped_) {
      const Picos time = now();
      const std::size_t came = forwarder_.poll(time);
      if (time >= next_look_) look(time);
      if (came == 0 && options_.idle > Picos{})
        std::this_thread::sleep_for(std::chrono::nanoseconds(options_.idle.whole_nanoseconds()));
    }
    // Process packets that are still in a link whose other end is in this process.
    for (int i = 0; i < kLastPolls && forwarder_.poll(now()) > 0; ++i)
      ;
    forwarder_.stop_team(now());
    forwarder_.give_up_waiting();
    // Allow a signal to end the program if the reader of the last report blocks.
    signals_.give_back();
    const ExitCode written = reports_.finish(report());
    return written != ExitCode::Clean ? written : code_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Picos now() const { return nanoseconds(std::chrono::nanoseconds(Clock::now() - began_).count()); }

  void look(Picos time) {
    next_look_ = time + kLook;
    while (const auto request = signals_.next())
      handle(*request);
    if (maker_) take_over(time);
    if (options_.report_every > Picos{} && time >= next_report_) {
      reports_.offer(report());
      next_report_ = time + options_.report_every;
    }
    if (time >= kLongest) {
      command::print_error("100 days are over, and the clock ends: start anew");
      stopped_ = true;
      code_ = ExitCode::RunFailed;
    }
    if (options_.run_for > Picos{} && time >= options_.run_for) stopped_ = true;
    if (time >= next_look_at_ports_) look_at_ports(time);
  }

  void handle(Signals::Request request) {
    switch (request) {
      case Signals::Request::Stop:
        stopped_ = true;
        return;
      case Signals::Request::Report:
        return reports_.offer(report());
      case Signals::Request::Reload:
        return reload();
    }
  }

  /// Reads the input again while forwarding continues.
  void reload() {
    again_ = maker_ != nullptr;
    if (again_) return;
    auto maker = GenerationMaker::start([this]() -> GenerationMaker::Made {
      auto state = load_node(options_.subject);
      if (!state) return fail(std::string("the input is refused"));
      return dpdk::generation(std::move(*state));
    });
    if (!maker) return command::print_error(maker.error());
    maker_ = std::move(*maker);
  }

  void take_over(Picos time) {
    auto made = maker_->take();
    if (!made) return;
    maker_.reset();
    if (again_) return reload();
    const std::string why_not = made->has_value() ? obstacle((**made)->state()) : made->error();
    if (!why_not.empty()) {
      return command::print_error(why_not + "; forwarding goes on as before");
    }
    forwarder_.replace(std::move(**made), time);
    ++changes_;
    fmt::print(stderr, "overlane-fastpath: forwarding by the new state\n");
  }

  /// The reason why the open ports cannot carry the packets of a state; empty if they can.
  std::string obstacle(const node::NodeState& state) const {
    if (pod_mtu(state) > ports_.pods().mtu() || uplink_mtu(state) > ports_.uplink().mtu()) {
      return fmt::format(
          "MTUs of {} to pods and {} to the uplink; the ports were opened with {} "
          "and {}",
          pod_mtu(state), uplink_mtu(state), ports_.pods().mtu(), ports_.uplink().mtu());
    }
    return "";
  }

  void look_at_ports(Picos time) {
    next_look_at_ports_ = time + kLookAtPorts;
    for (const auto& [side, port] : ports_.by_side) {
      if (port.is_there()) continue;
      command::print_error(fmt::format("the port to {} is gone: {}", side, port.device()));
      stopped_ = true;
      code_ = ExitCode::RunFailed;
    }
  }

  std::string report() const {
    dpdk::ForwardReport report{.at = now(),
                               .changes = changes_,
                               .counters = forwarder_.counters(),
                               .buffers_in_use = ports_.pool.in_use()};
    for (const auto& [side, port] : ports_.by_side)
      report.ports.emplace_back(side, port.counters());
    const bool is_text = options_.output.format == command::Format::Table;
    return is_text ? to_text(report) : encode(report).dump() + "\n";
  }

  const ForwardOptions& options_;
  const Signals& signals_;
  const Ports& ports_;
  ReportWriter& reports_;
  dpdk::Forwarder forwarder_;
  std::unique_ptr<GenerationMaker> maker_;  ///< Null unless a state is being read.
  bool again_ = false;                      ///< Another reload was requested meanwhile.
  Clock::time_point began_ = Clock::now();
  Picos next_look_;
  Picos next_report_ = options_.report_every;
  Picos next_look_at_ports_;
  std::uint64_t changes_ = 0;
  bool stopped_ = false;
  ExitCode code_ = ExitCode::Clean;
};

}  // namespace

ExitCode run_forwarding(const ForwardOptions& options, std::shared_ptr<const node::NodeState> state,
                        const Signals& signals) {
  const auto failed = [](const std::string& why) {
    command::print_error(why);
    return ExitCode::RunFailed;
  };
  ReportWriter reports(options.output.file);
  const auto eal = dpdk::Eal::start(options.eal);
  if (!eal) return failed(eal.error());
  auto ports = open_ports(options, *state);
  if (!ports) return failed(ports.error());
  auto team = make_team(options, ports->of_node());
  if (!team) return failed(team.error());
  ExitCode code = ExitCode::Clean;
  {
    Run run(options, signals, *ports, reports, std::move(*team));
    const std::string name = state->member().name;
    if (const auto begun = run.begin(std::move(state)); !begun) return failed(begun.error());
    fmt::print(stderr, "overlane-fastpath: forwarding as {} between {} and {}\n", name,
               options.pods, options.uplink);
    code = run.loop();
  }
  ports->by_side.clear();
  if (const std::uint32_t lost = ports->pool.in_use(); lost != 0) {
    command::print_error(fmt::format("{} packet buffers were never given back", lost));
    return ExitCode::Internal;
  }
  return code;
}

namespace {

/// Limit of time options: a hundred days, because of the range of the clock.
constexpr Picos kMaxTime = seconds(100 * 86'400);

command::ExitCode forward(ForwardOptions options) {
  if (options.output.format == command::Format::Json) {
    command::print_error("reports come one by one: -o jsonl");
    return command::ExitCode::Usage;
  }
  const auto signals = Signals::take();
  if (!signals) {
    command::print_error(signals.error());
    return command::ExitCode::RunFailed;
  }
  auto state = load_node(options.subject);
  if (!state) return state.error();
  options.eal.devices = {options.pods, options.uplink};
  if (!options.host.empty()) options.eal.devices.push_back(options.host);
  return run_forwarding(options, std::move(*state), *signals);
}

void add_ports(CLI::App& verb, ForwardOptions& options) {
  const auto port = [&verb](const char* name, std::string& device, const char* what) {
    return verb.add_option(name, device, what)->type_name("DEVICE");
  };
  port("--pods", options.pods,
       "The port that the node's pods are behind: a PCI address, or a virtual device such as "
       "net_af_packet0,iface=veth0")
      ->required();
  port("--uplink", options.uplink, "The port to the other nodes")->required();
  port("--host", options.host, "The port to the node's own network stack");
}

}  // namespace

void add_forward(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<ForwardOptions>();
  CLI::App* verb = program.add_subcommand(
      "forward", "Forwards between ports as a node of a shoot does, until it is stopped");
  add_subject_options(*verb, options->subject);
  add_ports(*verb, *options);
  command::add_time_option(*verb, "--every", options->report_every,
                           "Also report the counters so often; a number alone is in seconds",
                           {Picos{}, kMaxTime, "s"});
  command::add_time_option(*verb, "--for", options->run_for,
                           "Stop by itself after so long; a number alone is in seconds",
                           {Picos{}, kMaxTime, "s"});
  command::add_time_option(*verb, "--idle", options->idle,
                           "Sleep so long when no packet came: spares the core, costs latency; a "
                           "number alone is in microseconds",
                           {Picos{}, milliseconds(100), "us"});
  verb->add_option("--burst", options->burst, "Packets received at once")
      ->check(CLI::Range(std::size_t{1}, adjacency::kBurst));
  verb->add_option("--buffers", options->buffers, "Packet buffers of all ports together")
      ->check(CLI::Range(1024, 1 << 22));
  add_eal_options(*verb, options->eal,
                  "The logical cores that do it: with several the first one has the slow path, and "
                  "each other one a queue of each port");
  command::add_output_options(*verb, options->output, command::ResultShape::Records);
  verb->callback([options, &chosen] { chosen = [options] { return forward(*options); }; });
}

}  // namespace overlane::fastpath
