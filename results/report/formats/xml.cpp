#include "results/report/formats/xml.h"

#include "results/finding/one_line.h"

namespace overlane::report {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:  // U+FFFE and U+FFFF, which XML cannot hold, become U+FFFD.
        out += out.ends_with("\xef\xbf") && (c == '\xbe' || c == '\xbf') ? '\xbd' : c;
    }
  }
  return out;
}

}  // namespace overlane::report
