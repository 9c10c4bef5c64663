#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/runner/plan/parallel.h"
#include "sim/cost/cost_profile.h"
#include "sim/run/run.h"

namespace overlane::calibrate {

// The prediction of a table's row: the network of two hosts that the row was measured on
// (make_two_hosts()), the model of the hosts' costs (HostModel), and runs of the packet engine with
// both (predict()).

/// The network of a row's measurement, without costs and latency.
struct TwoHosts {
  run::Network network;
  run::PodPair pods;  ///< The client's and the server's.
};

/// The pods' MTU in a row: the given MTU, otherwise the link's MTU minus the encapsulation
/// overhead.
std::uint32_t pod_mtu(const MeasurementTable& table, const MeasurementRow& row);
/// Minimum MTU of IPv4 (RFC 791).
inline constexpr std::uint32_t kMinPodMtu = 68;

/// Executes the steps of `overlane run`: writes the manifest of a two-node shoot with the
/// encapsulation of the row's system, decodes it, derives its dataplane, sets the row's MTUs and
/// compiles its states. Errors are internal.
Parsed<TwoHosts> make_two_hosts(const MeasurementTable& table, const MeasurementRow& row);

// The model of a class of identical hosts: a cost profile, a latency, and factors for other
// kernels. A fit changes a few physical constants instead of single costs; each constant scales the
// costs of its stages in a prior profile.

/// The model of a class of hosts, by which a table's rows are predicted.
struct HostModel {
  cost::CostProfile costs;  ///< Under the hosts' own kernel.
  Picos latency;            ///< One way, through wire and NICs.
  /// CPU cost under other kernels, as a factor (costs_under()); default 1.
  std::map<std::string, double, std::less<>> kernels;

  bool operator==(const HostModel&) const = default;
};

/// The profile under a kernel (spec::under_kernel()).
cost::CostProfile costs_under(const HostModel& model, std::string_view kernel);

/// The physical constants of a class of hosts, fitted to a table. Each is a factor on the costs of
/// its stages in the prior profile.
enum class Constant : std::uint8_t {
  Connections,
  SystemCalls,
  Sockets,
  CopySend,
  CopyReceive,
  Nic,
  Interrupts,
  WakeUp,
  Sleep,
  PodSleep,
  PodPath,
  EbpfPath,
  Tunnel,
  EbpfTunnel,
  Segmentation,
  Vhost,
  VhostCopy,
  Latency,
};

struct ConstantFacts {
  Constant constant;
  std::string_view name;     ///< In reports and sources.
  std::string_view meaning;  ///< One phrase, for tables.
};

inline constexpr std::array kConstants = {
    ConstantFacts{Constant::Connections, "connections", "opening and closing one, each end"},
    ConstantFacts{Constant::SystemCalls, "system-calls", "applications' calls, each message"},
    ConstantFacts{Constant::Sockets, "sockets", "transport, each buffer"},
    ConstantFacts{Constant::CopySend, "copy-send", "copying out of the application, each byte"},
    ConstantFacts{Constant::CopyReceive, "copy-receive", "copying to the application, each byte"},
    ConstantFacts{Constant::Nic, "nic", "driver and NAPI, each packet"},
    ConstantFacts{Constant::Interrupts, "interrupts", "an interrupt of the NIC"},
    ConstantFacts{Constant::WakeUp, "wake-up", "waking the application"},
    ConstantFacts{Constant::Sleep, "sleep", "going idle"},
    ConstantFacts{Constant::PodSleep, "pod-sleep", "the more in a pod's control groups"},
    ConstantFacts{Constant::PodPath, "pod-path", "veth, netfilter and route lookup"},
    ConstantFacts{Constant::EbpfPath, "ebpf-path", "eBPF programs between pod and NIC"},
    ConstantFacts{Constant::Tunnel, "tunnel", "headers on and off, second pass of the stack"},
    ConstantFacts{Constant::EbpfTunnel, "ebpf-tunnel", "the same by eBPF programs"},
    ConstantFacts{Constant::Segmentation, "segmentation", "cutting buffers in software"},
    ConstantFacts{Constant::Vhost, "vhost", "hypervisor's thread, each buffer"},
    ConstantFacts{Constant::VhostCopy, "vhost-copy", "the same, each byte"},
    ConstantFacts{Constant::Latency, "latency", "one way through wire and NICs"},
};
inline constexpr std::size_t kConstantCount = kConstants.size();

constexpr std::string_view to_string(Constant constant) {
  return kConstants[static_cast<std::size_t>(constant)].name;
}

/// One factor per constant.
using Factors = std::array<double, kConstantCount>;

/// `prior` with every constant multiplied by its factor; kernels unchanged.
HostModel with_factors(const HostModel& prior, const Factors& factors);

/// The constants that scale a stage's costs: one, or two if copying has its own constant; none if
/// the stage is not calibrated.
std::vector<Constant> constants_of(cost::Stage stage);

/// Whether the constant exists for hosts that `wire` connects.
bool exists(Constant constant, cost::Wire wire);

/// Whether a constant affects the predictions for a system, provided that its hosts have the
/// constant.
bool meets(const System& system, Constant constant);

/// The value of a constant in a model: the sum of its stages' costs for one small packet (copies:
/// one byte), in nanoseconds.
double nanoseconds_of(Constant constant, const HostModel& model);

/// The prediction for a row, in the order of its figures.
using Prediction = std::vector<double>;

/// Simulated time of a trial's runs, of which the first two sevenths are warm-up: each span is
/// about four times the previous one. The first is enough for congestion windows to fill without
/// loss and for hundreds of transactions; the last holds several retransmission timeouts.
inline constexpr std::array kSpans = {milliseconds(14), milliseconds(56), milliseconds(250),
                                      seconds(1)};

/// A row with the hosts that it was measured on.
struct Trial {
  const MeasurementRow* row = nullptr;
  TwoHosts hosts;
  std::size_t span = 0;  ///< Position in kSpans.
};

/// The rows of `table` selected by `wanted`, with their hosts. The table must outlive the trials.
Parsed<std::vector<Trial>> make_trials(const MeasurementTable& table,
                                       bool (*wanted)(const MeasurementRow&));

/// The load of a trial's row between its pods.
run::TrafficGroup traffic_of(const Trial& trial);

/// A trial to predict, and the model to predict it with.
struct PredictionRequest {
  const Trial* trial = nullptr;
  const HostModel* model = nullptr;
  std::uint64_t seed = 0;  ///< Seed of the only run; 0: as many runs as the load needs.
};

/// Runs the packet engine for each request over its trial's span, on `threads` threads (0: one per
/// core; does not change results). Errors are internal.
Parsed<std::vector<Prediction>> predict(std::span<const PredictionRequest> requests,
                                        std::uint32_t threads,
                                        const runner::TasksDone& progress = {});

/// A row's figures in the steady state.
struct SteadyPrediction {
  Prediction figures;     ///< Over `span`.
  std::size_t span = 0;   ///< Position in kSpans of the shortest span that has them, else the last.
  bool is_steady = true;  ///< False: the figures still change within the longest span.

  bool operator==(const SteadyPrediction&) const = default;
};

/// The relative difference up to which a figure counts as equal over two successive spans, as a
/// share of its expected error (model_error()): 2 % for throughputs.
inline constexpr double kSteadyWithin = 0.4;

/// Predicts each trial over longer and longer spans until the figures of two successive spans are
/// equal; the spans of the trials do not matter. `threads` and errors as in predict().
Parsed<std::vector<SteadyPrediction>> predict_steady(std::span<const Trial> trials,
                                                     const HostModel& model, std::uint32_t threads,
                                                     const runner::TasksDone& progress = {});

}  // namespace overlane::calibrate
