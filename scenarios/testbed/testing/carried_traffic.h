#pragma once

#include <vector>

#include <gmock/gmock.h>

#include "results/model/run_report.h"
#include "scenarios/runner/load/given_files.h"

namespace overlane::testbed {

/// Matches the outcome of a measurement in which `traffic` matches the traffic of each variant that
/// is ok. To measure again helps only against figures that came late: the test must expect the
/// other variants' status itself, and a failed measurement matches, too.
inline ::testing::Matcher<const runner::Outcome<model::RunReport>&> each_variant_carries(
    const ::testing::Matcher<const std::vector<model::TrafficResult>&>& traffic) {
  return ::testing::ResultOf(
      [](const runner::Outcome<model::RunReport>& report) {
        auto variants = report ? report->variants : std::vector<model::VariantResult>{};
        std::erase_if(variants, [](const model::VariantResult& variant) {
          return variant.status != model::VariantStatus::Ok;
        });
        return variants;
      },
      ::testing::Each(::testing::Field(&model::VariantResult::traffic, traffic)));
}

}  // namespace overlane::testbed
