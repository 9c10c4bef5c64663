#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace document_test {

TEST(Document, ARunIsTheSameAfterItWasWrittenAndRead) {
  const std::string library = OVERLANE_SOURCE_DIR "/scenarios/library/";
  const Request requests[] = {
      {.paths = {testing::manifest("shoot-azure.yaml")}},
      {.paths = {library + "cloud-route-vanishes.yaml"}, .show_steps = true},
      {.paths = {library + "services.yaml"},
       .repetitions = 2,
       .series = SeriesRequest{.each_node = true},
       .why = Why::Latency}};
  for (const Request& request : requests) {
    const model::RunReport report = testing::run_or_fail(request);
    const nlohmann::ordered_json document = model::encode(report);
    const auto read = model::decode_run_report(nlohmann::ordered_json::parse(document.dump()));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(model::encode(*read).dump(1), document.dump(1));
  }
}

}  // namespace document_test
}  // namespace overlane::runner
