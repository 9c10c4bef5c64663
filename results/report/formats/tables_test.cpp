#include "results/report/formats/tables.h"

#include <vector>

#include <gtest/gtest.h>

namespace overlane::report {

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

}  // namespace overlane::report
