#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topologies/overlap/report/report.h"

// A report as JSON (kind OverlapReport, which a later run reads as a baseline) and as CSV.
namespace overlane::overlap {

/// The JSON document of kind OverlapReport.
nlohmann::ordered_json encode(const OverlapReport& report);

/// CSV (RFC 4180): a header, and one record for each listed overlap.
std::string encode_csv(const OverlapReport& report);

/// "shoot.yaml:12:5 spec.networking.pods"; for an assumed range, the reason.
std::string source_of(const End& end);

}  // namespace overlane::overlap
