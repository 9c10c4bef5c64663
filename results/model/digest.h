#pragma once

#include <string>
#include <string_view>

namespace overlane::model {

/// XXH3-128 of a text, as 32 hexadecimal digits.
std::string digest_of(std::string_view text);

}  // namespace overlane::model
