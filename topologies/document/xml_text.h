#pragma once

#include <string>
#include <string_view>

namespace overlane::document {

/// `text` as one line of an XML 1.0 attribute or text: one_line() with markup characters escaped.
std::string xml_text(std::string_view text);

}  // namespace overlane::document
