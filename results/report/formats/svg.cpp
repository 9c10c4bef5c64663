#include "results/report/formats/svg.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/report/formats/xml.h"

namespace overlane::report {

int text_width(std::string_view text, int font_size) {
  const auto starts_character = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u;
  };
  return static_cast<int>(std::ranges::count_if(text, starts_character)) * font_size * 58 / 100;
}

std::string svg_document(int width, int height, std::string_view title, std::string_view head,
                         std::string_view body) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{4}</svg>\n",
      width, height, xml_text(title), head, body);
}

}  // namespace overlane::report
