#include "results/pages/variant_colours.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace overlane::pages {
namespace variant_colours_test {

/// Relative luminance of "#rrggbb" (WCAG 2.1).
double luminance(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    const double value = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

double contrast(std::string_view a, std::string_view b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

TEST(VariantColours, EveryColourContrastsWithTheBackgroundsOfItsTheme) {
  EXPECT_NEAR(contrast("#ffffff", "#000000"), 21, 0.01);
  // --paper and --panel of page.css.
  for (const VariantColour& one : kVariantColours) {
    for (const char* background : {"#ffffff", "#f6f8fa"})
      EXPECT_GE(contrast(one.light, background), 3) << one.light;
    for (const char* background : {"#0d1117", "#151b23"})
      EXPECT_GE(contrast(one.dark, background), 3) << one.dark;
  }
}

TEST(VariantColours, EveryColourHasItsOwnDash) {
  std::set<std::string_view> dashes;
  for (const VariantColour& one : kVariantColours)
    dashes.insert(one.dash);
  EXPECT_EQ(dashes.size(), kVariantColours.size());
}

TEST(VariantColours, AModeHasTheSameNumberOnEveryPage) {
  const VariantNumbers one({"routed", "ipip", "vxlan"});
  const VariantNumbers other({"vxlan", "geneve", "ipip", "mine"});
  EXPECT_EQ(one.of("ipip"), other.of("ipip"));
  EXPECT_EQ(one.of("vxlan"), other.of("vxlan"));
  EXPECT_EQ(VariantNumbers({"mine"}).of("mine"), VariantNumbers({"other", "mine"}).of("mine"));
}

TEST(VariantColours, VariantsOfAPageHaveDifferentNumbersAsLongAsThereAreSome) {
  const std::vector<std::string> names{"a", "b", "vxlan", "c", "routed", "d"};
  const VariantNumbers numbers(names);
  std::set<std::size_t> taken;
  for (const std::string& name : names)
    taken.insert(numbers.of(name));
  EXPECT_EQ(taken.size(), kVariantColours.size());
  std::vector<std::string> more = names;
  more.emplace_back("seventh");
  EXPECT_LT(VariantNumbers(more).of("seventh"), kVariantColours.size());
}

TEST(VariantColours, TheStylesHaveBothThemes) {
  const std::string styles = variant_styles();
  EXPECT_NE(styles.find(":root{--v0:#0072b2;"), styles.npos);
  EXPECT_NE(styles.find("(prefers-color-scheme: dark){:root{--v0:#56b4e9;"), styles.npos);
}

}  // namespace variant_colours_test
}  // namespace overlane::pages
