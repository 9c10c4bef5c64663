#pragma once

#include <string>
#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::run {

/// Every stage with a cost; WireGuard's stages only if a node uses it, the hypervisor's stage only
/// with virtio queues.
std::vector<Parameter> stage_costs(const Network& network);

/// The path MTU and every entry of the packet filter that the fabric has.
std::vector<Parameter> fabric_obstacles(const Network& network);

/// The inputs of a run without its options.
struct RunInputs {
  Network network;
  std::vector<TrafficGroup> traffic;
};

/// Every constant of a run that perturb() can change.
std::vector<Parameter> all_constants(const Network& network,
                                     const std::vector<TrafficGroup>& traffic);

/// Changes `constant` by a tenth towards more throughput: rates, windows and queues up, times down.
/// Removes an obstacle of the fabric.
void perturb(RunInputs& setting, const Parameter& constant);

/// "machine.nic", "stage veth", "traffic bulk windowBytes": its name in the report's assumptions
/// and in the files.
std::string name_of(const Parameter& constant, const RunInputs& setting);
/// "10 Gbit/s", "560 ns per buffer".
std::string value_of(const Parameter& constant, const RunInputs& setting);

std::string rate_text(BitsPerSecond rate);
/// "0.1 %", "0.1 % within a zone, 1 % across".
std::string loss_text(const fabric::Loss& loss);

}  // namespace overlane::run
