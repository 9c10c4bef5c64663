#include "sim/run/limit_kinds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sim/run/ephemeral_ports.h"
#include "sim/run/setting.h"

namespace overlane::run {

using Kind = Constant::Kind;

std::string transfer_text(const TrafficGroup& group) {
  if (!group.transfer) return "start of the flow";
  const bool varies = group.transfer->kind() != Distribution::Kind::Fixed;
  return fmt::format("transfer{} of {} bytes{}", group.gap ? "s" : "", group.transfer->mean(),
                     varies ? " on average" : "");
}

FoundLimit loss_limit(const Network& network, std::string station) {
  return {{.station = std::move(station),
           .constant = "loss " + loss_text(network.paths.loss),
           .source = "the scenario"},
          {{Kind::Loss}}};
}

FoundLimit congestion_window_limit(const Network& network, bool has_lost) {
  FoundLimit found{{.station = "congestion window",
                    .constant = has_lost ? "reduced by losses" : "slow start",
                    .source = "CUBIC, RFC 9438"},
                   {{Kind::QueueRoom}, {Kind::PathLatency}}};
  if (network.paths.loss.any()) found.constants.push_back({Kind::Loss});
  return found;
}

FoundLimit source_port_limit() {
  return {{.station = "source ports",
           .constant = fmt::format("{} ports, each in TIME-WAIT for {} s behind its connection",
                                   kPorts, transport::kTimeWait.count / seconds(1).count),
           .source = "net.ipv4.ip_local_port_range, TCP_TIMEWAIT_LEN"},
          {}};
}

std::vector<Constant> constants_of_way(const Network& network) {
  std::vector<Constant> constants = {{Kind::PathLatency}};
  if (network.paths.loss.any()) constants.push_back({Kind::Loss});
  std::ranges::copy(stage_costs(network), std::back_inserter(constants));
  return constants;
}

}  // namespace overlane::run
