#include <gtest/gtest.h>

#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/files.h"
#include "topologies/document/parse.h"

namespace overlane::calibrate {
namespace {

TEST(WriteProfile, IsReadAsTheModelThatWasWritten) {
  const auto prior = load_profile("linux-server");
  ASSERT_TRUE(prior);
  CalibrationReport report{.table = {.name = "made"}, .model = model_of(*prior), .fit = Fit{}};
  report.model.latency = nanoseconds(2345);
  report.model.kernels["two"] = 1.25;
  report.model.costs.name = "made";
  report.fit->constants[static_cast<std::size_t>(Constant::Nic)] = {1.5, 0.1, true};
  const auto stream = document::parse(write_profile(report, *prior), "written.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  const auto read = spec::decode_cost_profile_file(stream.documents.front());
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_EQ(model_of(*read), report.model);
  const auto source = [&](cost::Stage stage) {
    return read->sources[static_cast<std::size_t>(stage)];
  };
  EXPECT_TRUE(source(cost::Stage::Interrupt).starts_with("fitted to made (nic x 1.50 ± 10 %)"))
      << source(cost::Stage::Interrupt);
  EXPECT_TRUE(source(cost::Stage::Veth).starts_with("made does not tell; "));
}

}  // namespace
}  // namespace overlane::calibrate
