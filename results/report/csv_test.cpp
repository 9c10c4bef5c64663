#include "results/report/csv.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::report {

namespace csv_test {

using Json = nlohmann::ordered_json;

TEST(CsvRows, FlattensObjectsAndLists) {
  const Json rows = Json::parse(R"([
    {"name": "a", "latency": {"p50": 1, "p99": -2.5}, "cidrs": ["10.0.0.0/8", "fd00::/8"]},
    {"name": null, "ok": true, "findings": [{"rule": "x"}], "cidrs": []}])");
  EXPECT_EQ(rows_csv(rows),
            "name,latency.p50,latency.p99,cidrs,ok\r\n"
            "a,1,-2.5,10.0.0.0/8;fd00::/8,\r\n"
            ",,,,true\r\n");
}

TEST(CsvRows, JoinsParentsWithTheirMembers) {
  const Json variants = Json::parse(R"([
    {"name": "routed", "status": "ok", "traffic": [{"name": "bulk"}, {"name": "dns"}]},
    {"name": "ipip", "status": "not-admitted", "traffic": []}])");
  EXPECT_EQ(rows_csv(variants, "variant", {"status"}, "traffic"),
            "variant,status,name\r\n"
            "routed,ok,bulk\r\n"
            "routed,ok,dns\r\n"
            "ipip,not-admitted,\r\n");
}

TEST(CsvRows, KeepsTheOrderOfTheFirstAppearanceAndReplacesInvalidUtf8) {
  CsvRows rows;
  rows.add(Json{{"b", "x\xff"}});
  rows.add(Json{{"a", Json::array({"y\xff"})}});
  EXPECT_EQ(rows.to_string(), "b,a\r\nx\xff,\r\n,y\xff\r\n");
}

}  // namespace csv_test

}  // namespace overlane::report
