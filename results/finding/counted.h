#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlane {

/// "1 shoot", "3 shoots": for messages of findings and of reports' last lines.
std::string counted(std::uint64_t count, std::string_view what);

}  // namespace overlane
