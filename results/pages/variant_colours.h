#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::pages {

// The colours of variants in all charts of all pages. The colours are those of Okabe and Ito
// ("Color Universal Design", 2008), which people with a colour vision deficiency can tell apart;
// some are darkened or lightened until they have a contrast of at least 3 to 1 (WCAG 1.4.11)
// against the background of the theme. A variant has the same number, and so the same colour and
// dash, on every page. Each line has its own dash, so readers can distinguish lines without colour.

/// A colour of a variant in both themes, and the dash of its lines.
struct VariantColour {
  std::string_view light;  ///< "#0072b2".
  std::string_view dark;
  std::string_view dash;  ///< SVG stroke-dasharray in pixels; empty: a solid line.
};

inline constexpr std::array<VariantColour, 6> kVariantColours{{
    {"#0072b2", "#56b4e9", ""},           // blue, sky blue
    {"#d55e00", "#e8761f", "8 4"},        // vermillion
    {"#00805d", "#2bb98c", "2 3"},        // bluish green
    {"#b04a86", "#cc79a7", "10 3 2 3"},   // reddish purple
    {"#7d6a00", "#f0e442", "5 5"},        // yellow
    {"#59636e", "#a9b1ba", "12 3 2 3 2"}  // grey
}};

/// Assigns numbers to the variants of a page.
class VariantNumbers {
 public:
  /// Variants with the name of a dataplane mode have fixed numbers. The number of another name
  /// follows from the name; if another variant of `names` has this number, it is the next free one.
  explicit VariantNumbers(const std::vector<std::string>& names);

  /// Index in kVariantColours of a variant, which must be one of the names.
  std::size_t of(std::string_view name) const;

 private:
  struct Numbered {
    std::string name;
    std::size_t number;
  };
  std::vector<Numbered> variants_;
};

/// CSS that defines the custom properties --v0, --v1, … of both themes. Print has the light theme.
std::string variant_styles();

}  // namespace overlane::pages
