#pragma once

#include <string>
#include <string_view>

namespace overlane::document {

/// `text` as one line of an attribute or a text of XML 1.0: what one_line() leaves as it is, with
/// markup's characters escaped.
std::string xml_text(std::string_view text);

}  // namespace overlane::document
