#pragma once

#include <string>
#include <string_view>

namespace overlane::report {

/// `text` as one line of an XML 1.0 attribute or element: control characters and invalid UTF-8 are
/// escaped as one_line() does it, markup as entities.
std::string xml_text(std::string_view text);

}  // namespace overlane::report
