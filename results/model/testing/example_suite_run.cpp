#include "results/model/testing/example_suite_run.h"

namespace overlane::model {

SuiteRun example_suite_run(const std::string& id) {
  return {.id = id,
          .suite = "nightly",
          .suite_digest = "00ff",
          .started_ms = 1'764'000'000'000,
          .environment = {.overlane_version = "0.1.0",
                          .commit = "0123456789abcdef0123456789abcdef01234567",
                          .compiler = "GNU 12.2.0",
                          .flags = "-O2",
                          .build_type = "Release",
                          .cpu_model = "some processor",
                          .kernel = "6.1.0",
                          .cores = 2,
                          .memory_bytes = 1 << 30,
                          .load = 0.25,
                          .hugepages = {.total = 4, .free = 3, .size_bytes = 2 << 20}},
          .accepted = {{.case_name = "aws", .metric = "*", .base = "0123", .reason = "zones"}},
          .cases = {{.name = "aws",
                     .owner = "sim/run",
                     .seconds = 1.5,
                     .rounds = {{.compute_ns = 0.9, .memory_ns = 80.5},
                                {.compute_ns = 1.0, .memory_ns = 90.5}},
                     .metrics = {{.metric = {.name = "result_hash"},
                                  .samples = {{0, Figure("f68c")}, {1, Figure("f68c")}}},
                                 {.metric = {.name = "variants/routed/engine/events"},
                                  .samples = {{0, Figure(INT64_MAX)}}},
                                 {.metric = {.name = "loop_seconds",
                                             .unit = "s",
                                             .better = Better::Lower,
                                             .tolerance = Tolerance::Time},
                                  .samples = {{0, Figure(0.125)}, {1, Figure(1.0)}}}},
                     .document = R"({"kind":"RunReport"})"},
                    {.name = "fastpath",
                     .owner = "dataplane/dpdk",
                     .status = CaseStatus::Missing,
                     .reason = "no hugepages"}}};
}

}  // namespace overlane::model
