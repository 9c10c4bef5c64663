#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "results/finding/finding.h"

namespace overlane::document {

/// Line and column of a byte; columns count characters.
Place place_of_byte(std::string_view text, std::size_t offset, const std::string& file);

/// Why `text` is no UTF-8 text file: a NUL byte or a malformed sequence.
std::optional<Finding> check_encoding(std::string_view text, const std::string& file);

/// `text` with control characters written as escapes (`\n`, `\x1b`), so that a message which quotes
/// it stays one harmless line.
std::string one_line(std::string_view text);

/// A `...` that stands for left-out parts of a document.
Finding elision(Place place);

}  // namespace overlane::document
