#pragma once

#include <span>
#include <string>

#include "scenarios/migration/evaluate.h"

namespace overlane::command {

/// "25.1 s".
std::string seconds_text(Picos time);

/// "25.1 s", or "25.1 to 59.6 s" where the runs differ.
std::string spread_text(const migration::Spread& spread);

/// "garden-dev/one: ipip to routed, 6 nodes on aws".
std::string switch_text(const migration::Loaded& loaded);

/// The longest outage: "25.1 s", "none", "never over".
std::string outage_cell(const migration::ClassResult& of);
std::string outage_cell(const migration::TrafficResult& of);

/// "connections between nodes across zones stop for 12.1 to 19.3 s (established TCP connections
/// resume after at most 25.4 s)".
std::string outages_text(const migration::Loaded& loaded, const migration::StrategyResult& result);

/// The longest outages at both ends: "8.6 s to 59.6 s", "0.0 s to never over".
std::string ends_text(const migration::Sensitivity& parameter);

/// The three parameters with the largest effect, without those that have none.
std::span<const migration::Sensitivity> least_certain(const migration::Evaluation& evaluation);

}  // namespace overlane::command
