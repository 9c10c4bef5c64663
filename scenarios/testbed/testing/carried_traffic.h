#pragma once

#include <gmock/gmock.h>

#include "results/model/run_report.h"
#include "scenarios/runner/load/given_files.h"

namespace overlane::testbed {

/// Matches the outcome of a measurement in which `traffic` matches each variant's traffic.
inline ::testing::Matcher<const runner::Outcome<model::RunReport>&> each_variant_carries(
    const ::testing::Matcher<const std::vector<model::TrafficResult>&>& traffic) {
  return ::testing::ResultOf(
      [](const runner::Outcome<model::RunReport>& report) {
        return report ? report->variants : std::vector<model::VariantResult>{};
      },
      ::testing::Each(::testing::Field(&model::VariantResult::traffic, traffic)));
}

}  // namespace overlane::testbed
