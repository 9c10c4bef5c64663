#include "scenarios/calibrate/measure_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::calibrate {
namespace measure_table_test {

using ::testing::HasSubstr;

TEST(WriteTable, IsReadAsTheSameTable) {
  const auto table = load_table("namespaces");
  ASSERT_TRUE(table);
  const std::string text = write_table(*table);
  const document::Stream stream = document::parse(text, "table.yaml");
  ASSERT_EQ(stream.documents.size(), 1u) << text;
  const auto read = decode_table(stream.documents.front());
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_EQ(write_table(*read), text);
  ASSERT_EQ(read->rows.size(), table->rows.size());
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    EXPECT_EQ(read->rows[i].flows, table->rows[i].flows);
    EXPECT_EQ(read->rows[i].use, table->rows[i].use);
    EXPECT_EQ(read->rows[i].offloads, table->rows[i].offloads);
  }
}

TEST(MeasureTable, HostsWithNicsAreNotMeasuredHere) {
  const auto table = load_table("xeon-10g");
  ASSERT_TRUE(table);
  const auto measured = measure_table(*table, {});
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error(), HasSubstr("only namespaces (wire: veth)"));
}

}  // namespace measure_table_test
}  // namespace overlane::calibrate
