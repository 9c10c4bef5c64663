#include "results/report/text.h"

#include <vector>

#include <gtest/gtest.h>

namespace overlane::report {
namespace text_test {

TEST(Text, WidthCountsCodePointsNotBytes) {
  EXPECT_EQ(display_width("41.3 µs"), 7u);
  EXPECT_EQ(display_width("–"), 1u);
  EXPECT_EQ(display_width(""), 0u);
}

TEST(Text, FiguresHaveTheFittingUnit) {
  EXPECT_EQ(rate_text(9'415'300'000), "9.415 Gbit/s");
  EXPECT_EQ(rate_text(95'250'000), "95.2 Mbit/s");
  EXPECT_EQ(rate_text(12), "12 bit/s");
  EXPECT_EQ(rate_text(0), "0 bit/s");
  EXPECT_EQ(duration_text(850), "850 ns");
  EXPECT_EQ(duration_text(41'299), "41.3 µs");
  EXPECT_EQ(duration_text(2'000'000), "2.00 ms");
  EXPECT_EQ(duration_text(2'250'000'000), "2.250 s");
  EXPECT_EQ(percent_text(125'000), "12.5 %");
  EXPECT_EQ(change_text(986'192), "-1.4 %");
  EXPECT_EQ(change_text(1'250'000), "+25.0 %");
  EXPECT_EQ(change_text(999'501), "+0.0 %");
  EXPECT_EQ(change_text(999'499), "-0.1 %");
}

TEST(Text, ElapsedTimesHaveTheUnitThatFits) {
  EXPECT_EQ(elapsed_text(9.44), "9.4 s");
  EXPECT_EQ(elapsed_text(119.9), "119.9 s");
  EXPECT_EQ(elapsed_text(210), "3 min 30 s");
  EXPECT_EQ(elapsed_text(240), "4 min");
  EXPECT_EQ(elapsed_text(599), "9 min 59 s");
  EXPECT_EQ(elapsed_text(1000), "16 min 40 s");
  EXPECT_EQ(elapsed_text(90'000), "25 h 0 min");
}

TEST(Text, CountsAreGroupedByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(-123'456), "-123,456");
}

TEST(Text, WrapsAtSpacesWithIndentation) {
  EXPECT_EQ(wrapped("  a: ", "one two three", 12), "  a: one two\n     three\n");
  EXPECT_EQ(wrapped("- ", "incomprehensible", 8), "- incomprehensible\n");
  EXPECT_EQ(wrapped("- ", "", 8), "- \n");
  EXPECT_EQ(wrapped("", "µµ µµ", 5), "µµ µµ\n");
  EXPECT_EQ(wrapped("", "up to 25.9 %, for 2 min 54 s.", 9), "up to\n25.9 %,\nfor 2 min\n54 s.\n");
  EXPECT_EQ(wrapped("", "from 3 nodes", 6), "from 3\nnodes\n");
  EXPECT_EQ(wrapped("a.yaml:1:2: error: ", "one two three", 23, 4),
            "a.yaml:1:2: error: one\n    two three\n");
  EXPECT_EQ(wrapped("a.yaml:1:2: error: ", "incomprehensible", 23, 4),
            "a.yaml:1:2: error:\n    incomprehensible\n");
  EXPECT_EQ(wrapped("      a: ", "one incomprehensible", 20),
            "      a: one\n    incomprehensible\n");
}

}  // namespace text_test

namespace csv_test {

struct Row {
  std::vector<std::string> fields;
  const char* record;
};

const Row kRows[] = {
    {{"a", "b c", ""}, "a,b c,\r\n"},
    {{"a,b", "c\nd", "e\rf"}, "\"a,b\",\"c\nd\",\"e\rf\"\r\n"},
    {{"say \"yes\""}, "\"say \"\"yes\"\"\"\r\n"},
};

TEST(Csv, QuotesFieldsWithSeparatorsQuotesAndLineEnds) {
  for (const Row& row : kRows)
    EXPECT_EQ(csv_record(row.fields), row.record);
}

}  // namespace csv_test

TEST(Csv, MakesNoFormula) {
  const std::vector<std::string> fields = {"=1+1", "+1", "-1+1",    "@sum(a)", "\tx", "\rx",
                                           "\n=x", "-1", "-2.5e-3", "-",       "a=b", ""};
  EXPECT_EQ(csv_record(fields),
            "'=1+1,'+1,'-1+1,'@sum(a),'\tx,\"'\rx\",\"'\n=x\",-1,-2.5e-3,'-,a=b,\r\n");
}

}  // namespace overlane::report
