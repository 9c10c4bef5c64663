#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace csv_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t rows_of(const std::string& csv) {
  std::size_t rows = 0;
  for (std::size_t at = csv.find("\r\n"); at != csv.npos; at = csv.find("\r\n", at + 2))
    ++rows;
  return rows - 1;  // Without the names of the columns.
}

struct Row {
  const char* arguments;
  const char* rows;  ///< A JSON pointer.
  const char* begin;
};

TEST(CsvOutput, HasTheRowsAndNamesOfTheJsonDocument) {
  for (const Row& row :
       {Row{"explain shoot-aws shoot-gcp", "/networks", "kind,name,namespace,"},
        Row{"check shoot-aws", "/findings", "rule,severity,message,object.kind,object.namespace,"},
        Row{"overlap shoot-aws shoot-aws-live --notes", "/overlaps", "severity,rule,kind,"},
        Row{"trace shoot-aws", "/hops", "number,packet,place,decision,because,state_entry,"}}) {
    const Answer csv = run_overlane(std::string(row.arguments) + " -o csv");
    const auto json =
        nlohmann::json::parse(run_overlane(std::string(row.arguments) + " -o json").out);
    EXPECT_THAT(csv.out, StartsWith(row.begin)) << row.arguments;
    EXPECT_EQ(rows_of(csv.out), json.at(nlohmann::json::json_pointer(row.rows)).size());
  }
}

TEST(CsvOutput, HasARowPerTrafficOfEachVariant) {
  const Answer csv = run_overlane("run shoot-aws --no-ranges -o csv");
  EXPECT_THAT(csv.out, StartsWith("variant,status,reason,name,kind,throughput_bps,goodput_bps,"
                                  "packets.sent,"));
  EXPECT_THAT(csv.out, HasSubstr("\r\nipip,ok,,bulk,tcp,"));
  EXPECT_THAT(csv.out, HasSubstr(",latency_ns.p99,"));
  EXPECT_THAT(csv.out, Not(HasSubstr("buckets")));
}

TEST(CsvOutput, HasARowPerGoalOfEachVariant) {
  const Answer csv = run_overlane("search shoot-aws --trial 5ms --seeds 1 -o csv");
  EXPECT_THAT(csv.out, StartsWith("variant,status,name,loss_ratio,exceed_ratio,width,"));
  EXPECT_THAT(csv.out, HasSubstr("\r\nipip,ok,NDR,"));
  EXPECT_THAT(csv.out, HasSubstr("\r\nipip,ok,PDR,"));
}

TEST(CsvOutput, HasARowPerStrategyAndKindOfConnection) {
  const Answer csv = run_overlane("migrate shoot-aws --to ipip --runs 1 -o csv");
  EXPECT_THAT(csv.out, StartsWith("strategy,availability,verdict,duration_ns.least,"));
  EXPECT_THAT(csv.out, HasSubstr("\r\ntoday,today,go-with-impact,"));
  EXPECT_THAT(csv.out, HasSubstr(",impacts,recommended,"));
  EXPECT_THAT(csv.out, HasSubstr("established connections by NodePorts end,true,within a zone"));
}

TEST(CsvOutput, OfExplainHasShootsOnly) {
  EXPECT_EQ(run_overlane("explain shoot-aws --node-state -o csv").exit_code, 2);
  EXPECT_EQ(run_overlane("explain shoot-aws --compare-to shoot-gcp -o csv").exit_code, 2);
}

}  // namespace csv_test

}  // namespace overlane::command
