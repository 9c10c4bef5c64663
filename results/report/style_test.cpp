#include "results/report/style.h"

#include <gtest/gtest.h>

namespace overlane::report {

using answer::Tone;

TEST(Style, GivesEachToneAColourOfItsOwn) {
  EXPECT_EQ(toned_text("go", Tone::Good, Style::Colour), "\x1b[1;32mgo\x1b[0m");
  EXPECT_EQ(toned_text("note", Tone::Note, Style::Colour), "\x1b[1;36mnote\x1b[0m");
  EXPECT_EQ(toned_text("outage", Tone::Warning, Style::Colour), "\x1b[1;35moutage\x1b[0m");
  EXPECT_EQ(toned_text("no-go", Tone::Bad, Style::Colour), "\x1b[1;31mno-go\x1b[0m");
}

TEST(Style, LeavesPlainAndEmptyTextsAlone) {
  EXPECT_EQ(toned_text("a", Tone::Plain, Style::Colour), "a");
  EXPECT_EQ(toned_text("", Tone::Bad, Style::Colour), "");
  EXPECT_EQ(toned_text("a", Tone::Bad, Style::Plain), "a");
  EXPECT_EQ(heading_text("a", Style::Plain), "a");
}

TEST(Style, ColoursAPart) {
  EXPECT_EQ(toned_part("f: error: x", 3, 6, Tone::Bad, Style::Colour),
            "f: \x1b[1;31merror:\x1b[0m x");
  EXPECT_EQ(toned_part("f: error: x", 3, 6, Tone::Bad, Style::Plain), "f: error: x");
}

}  // namespace overlane::report
