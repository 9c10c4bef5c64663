#pragma once

#include <string>

#include "results/answer/document.h"

namespace overlane::report {

/// A chart as an SVG 1.1 picture, self-contained and without a script: its rows with their shares,
/// below them the lanes with their events, and a time axis in seconds, minutes or hours. It is
/// deterministic.
std::string chart_svg(const answer::Chart& chart);

}  // namespace overlane::report
