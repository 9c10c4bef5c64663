#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/model/environment.h"
#include "results/model/histogram.h"

namespace overlane::pages {

/// What the machine of an environment did: it ran what was measured, or the simulation.
enum class HostRole { Measured, Simulated };

/// The section about the build and the machine; `more` are further rows of the table, as HTML.
std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more = {});

/// A line of a latency chart (page.js): at most 200 points of the cumulative distribution.
nlohmann::ordered_json latency_line(const std::string& name, const model::Histogram& latency_ns);

/// An element that page.js draws the entry at `index` of `data`'s list `kind` into.
std::string chart(const char* kind, std::size_t index);

}  // namespace overlane::pages
