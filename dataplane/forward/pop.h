#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/state/device.h"
#include "results/finding/finding.h"

namespace overlane::forward {

/// The pop() of that encapsulation's folder in dataplane/encap, as `device` has it called; null
/// where no device takes the packet.
Result<encap::Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> bytes,
                                const node::Device* device);

}  // namespace overlane::forward
