#pragma once

#include <span>
#include <string>

namespace overlane::report {

/// One record of a CSV file (RFC 4180), with its line end; fields are quoted where necessary.
std::string csv_record(std::span<const std::string> fields);

}  // namespace overlane::report
