#include "scenarios/calibrate/host_model.h"

#include <algorithm>
#include <cmath>

#include "scenarios/spec/cost_profile.h"

namespace overlane::calibrate {

cost::CostProfile costs_under(const HostModel& model, std::string_view kernel) {
  const auto scale = model.kernels.find(kernel);
  return scale == model.kernels.end() ? model.costs
                                      : spec::under_kernel(model.costs, scale->second);
}

namespace {

using cost::Stage;
using cost::StageCost;

struct StageConstant {
  Stage stage;
  Constant constant;
  Constant per_byte;  ///< Scales the cost per byte.
};

/// The stages of Services are not listed: tables measure pod-to-pod traffic, so these stages keep
/// the prior's costs.
constexpr std::array kStageConstants = {
    StageConstant{Stage::Connection, Constant::Connections, Constant::Connections},
    StageConstant{Stage::SystemCall, Constant::SystemCalls, Constant::SystemCalls},
    StageConstant{Stage::SocketSend, Constant::Sockets, Constant::CopySend},
    StageConstant{Stage::DriverSend, Constant::Nic, Constant::Nic},
    StageConstant{Stage::Segment, Constant::Segmentation, Constant::Segmentation},
    StageConstant{Stage::Interrupt, Constant::Nic, Constant::Nic},
    StageConstant{Stage::NapiReceive, Constant::Nic, Constant::Nic},
    StageConstant{Stage::WakeUp, Constant::WakeUp, Constant::WakeUp},
    StageConstant{Stage::SocketReceive, Constant::Sockets, Constant::CopyReceive},
    StageConstant{Stage::WakeIpi, Constant::WakeUp, Constant::WakeUp},
    StageConstant{Stage::Sleep, Constant::Sleep, Constant::Sleep},
    StageConstant{Stage::PodSleep, Constant::PodSleep, Constant::PodSleep},
    StageConstant{Stage::Veth, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Netfilter, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Fib, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Headroom, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EncapIpip, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EncapVxlan, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::DecapIpip, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::DecapVxlan, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EbpfPass, Constant::EbpfPath, Constant::EbpfPath},
    StageConstant{Stage::EbpfEncap, Constant::EbpfTunnel, Constant::EbpfTunnel},
    StageConstant{Stage::EbpfDecap, Constant::EbpfTunnel, Constant::EbpfTunnel},
    StageConstant{Stage::Vhost, Constant::Vhost, Constant::VhostCopy},
};

double factor_of(const Factors& factors, Constant constant) {
  return factors[static_cast<std::size_t>(constant)];
}

double nanoseconds(Picos time) {
  return static_cast<double>(time.count) / 1000;
}

}  // namespace

HostModel with_factors(const HostModel& prior, const Factors& factors) {
  HostModel model = prior;
  for (const StageConstant& row : kStageConstants) {
    const StageCost& before = prior.costs[row.stage];
    StageCost& cost = model.costs[row.stage];
    cost = spec::scaled(before, factor_of(factors, row.constant));
    cost.per_byte = spec::scaled(before, factor_of(factors, row.per_byte)).per_byte;
  }
  const double latency = factor_of(factors, Constant::Latency);
  model.latency = picoseconds(std::llround(static_cast<double>(prior.latency.count) * latency));
  return model;
}

std::vector<Constant> constants_of(Stage stage) {
  const auto row = std::ranges::find(kStageConstants, stage, &StageConstant::stage);
  if (row == kStageConstants.end()) return {};
  if (row->per_byte == row->constant) return {row->constant};
  return {row->constant, row->per_byte};
}

bool exists(Constant constant, cost::Wire wire) {
  const bool of_vhost = constant == Constant::Vhost || constant == Constant::VhostCopy;
  return !of_vhost || wire == cost::Wire::Virtio;
}

bool meets(const System& system, Constant constant) {
  const bool tunnelled = system.encapsulation != Encapsulation::None;
  switch (constant) {
    case Constant::PodSleep:
      return system.datapath != cost::Datapath::Host;
    case Constant::PodPath:
      return system.datapath == cost::Datapath::Netfilter;
    case Constant::EbpfPath:
      return system.datapath == cost::Datapath::Ebpf;
    case Constant::Tunnel:
      return tunnelled && system.datapath != cost::Datapath::Ebpf;
    case Constant::EbpfTunnel:
      return tunnelled && system.datapath == cost::Datapath::Ebpf;
    case Constant::Connections:
    case Constant::SystemCalls:
    case Constant::Sockets:
    case Constant::CopySend:
    case Constant::CopyReceive:
    case Constant::Nic:
    case Constant::WakeUp:
    case Constant::Sleep:
    case Constant::Segmentation:
    case Constant::Vhost:
    case Constant::VhostCopy:
    case Constant::Latency:
      break;
  }
  return true;
}

double nanoseconds_of(Constant constant, const HostModel& model) {
  if (constant == Constant::Latency) return nanoseconds(model.latency);
  double sum = 0;
  for (const StageConstant& row : kStageConstants) {
    const StageCost& cost = model.costs[row.stage];
    if (row.constant == constant) sum += nanoseconds(cost.per_skb) + nanoseconds(cost.per_packet);
    if (row.per_byte == constant && row.per_byte != row.constant) sum += nanoseconds(cost.per_byte);
  }
  return sum;
}

}  // namespace overlane::calibrate
