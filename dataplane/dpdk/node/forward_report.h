#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/node/forwarder.h"

namespace overlane::dpdk {

/// What a running node has done by now.
struct ForwardReport {
  Picos at;                   ///< Since it began.
  std::uint64_t changes = 0;  ///< States that came after the first.
  ForwardCounters counters;
  std::uint64_t buffers_in_use = 0;
  std::vector<std::pair<std::string, PortCounters>> ports;  ///< By their side.
};

nlohmann::ordered_json encode(const ForwardReport& report);

/// The same for people, a few lines.
std::string to_text(const ForwardReport& report);

}  // namespace overlane::dpdk
