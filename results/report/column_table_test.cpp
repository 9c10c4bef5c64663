#include "results/report/column_table.h"

#include <gtest/gtest.h>

namespace overlane::report {
namespace column_table_test {

TEST(ColumnTable, AlignsByDisplayWidth) {
  ColumnTable table({"routed", "ipip"});
  table.heading("bulk");
  table.row("latency p50", {"41.3 µs", "850 ns"});
  table.heading("web");
  table.row("drops", {"", "12"});
  EXPECT_EQ(table.to_string(Style::Plain),
            "                routed    ipip\n"
            "bulk\n"
            "  latency p50  41.3 µs  850 ns\n"
            "\n"
            "web\n"
            "  drops              –      12\n");
}

TEST(ColumnTable, ColumnsThatDoNotFitFollowBelowWithTheLabels) {
  const std::string wide(60, 'x');
  ColumnTable table({"a", "b"});
  table.row("label", {wide, wide});
  EXPECT_EQ(table.to_string(Style::Plain), std::string(68, ' ') + "a\n  label  " + wide + "\n\n" +
                                               std::string(68, ' ') + "b\n  label  " + wide + "\n");
}

TEST(ColumnTable, OnlyHeadingsAreColoured) {
  ColumnTable table({"a"});
  table.heading("bulk");
  table.row("x", {"1"});
  EXPECT_EQ(table.to_string(Style::Colour), "\x1b[1m     a\x1b[0m\n\x1b[1mbulk\x1b[0m\n  x  1\n");
}

}  // namespace column_table_test
TEST(ColumnTable, ColoursACellWithoutItsGap) {
  ColumnTable table({"verdict", "longest"});
  table.row("x", {"go", "1 s"}, {answer::Tone::Good, answer::Tone::Plain});
  EXPECT_NE(table.to_string(Style::Colour).find("\n  x       \x1b[1;32mgo\x1b[0m      1 s\n"),
            std::string::npos);
  EXPECT_EQ(table.to_table().rows[0].cells[0].tone, answer::Tone::Good);
}

}  // namespace overlane::report
