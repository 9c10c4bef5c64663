#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace calibrate_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A small table whose rows have the use `use`.
std::string small_table(const std::string& use) {
  return write_temporary("table-" + use + ".yaml",
                         "apiVersion: overlane.dev/v1alpha1\n"
                         "kind: MeasurementTable\n"
                         "metadata: {name: small}\n"
                         "spec:\n"
                         "  description: two servers\n"
                         "  source: made up\n"
                         "  hosts: {wire: nic, machine: {cores: 8, nic: 25Gbit/s}, linkMtu: 1500, "
                         "kernel: '6.1'}\n"
                         "  systems:\n"
                         "  - {name: host, family: host, datapath: host}\n"
                         "  - {name: calico, family: calico, datapath: netfilter}\n"
                         "  rows:\n"
                         "  - {system: host, kind: request-response, roundTrip: 35us, use: " +
                             use +
                             "}\n"
                             "  - {system: calico, kind: request-response, roundTrip: 45us, use: " +
                             use + "}\n");
}

TEST(Calibrate, FitsAndPrintsConstantsRowsAndMargins) {
  const Answer answer = run_overlane("calibrate --table " + small_table("fit"));
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("pod-path: veth, netfilter and route lookup"));
  EXPECT_THAT(answer.out, Not(HasSubstr("e+"))) << "nobody reads 1.5e+04 ns";
  EXPECT_THAT(answer.out, HasSubstr("not identified"));
  EXPECT_THAT(answer.out, HasSubstr("rr, 1 flow, 6.1: transactions"));
  EXPECT_THAT(answer.out, HasSubstr("request-response, rows to fit"));
}

TEST(Calibrate, ReportIsJson) {
  const auto json =
      nlohmann::json::parse(run_overlane("calibrate -o json --table " + small_table("fit")).out);
  EXPECT_EQ(json["kind"], "CalibrationReport");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["fitted"], true);
  EXPECT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["figures"][0]["quantity"], "transactions_per_second");
  EXPECT_LT(json["margins"][0]["mean_absolute_error"], 0.1);
  EXPECT_EQ(json["margins"][0]["met"], true);
}

TEST(Calibrate, ProfilePredictsTheTableThatItWasFittedTo) {
  const std::string profile = write_temporary("fitted.yaml", "");
  const std::string table = small_table("fit");
  const Answer fitted =
      run_overlane("calibrate -o json --table " + table + " --save-profile " + profile);
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_THAT(read_text(profile), HasSubstr("fitted to small (pod-path x "));
  const Answer again =
      run_overlane("calibrate -o json --predict --table " + table + " --profile " + profile);
  // The profile keeps which constants were determined, not how well: its intervals are others.
  const auto rows_of = [](const Answer& answer) {
    auto rows = nlohmann::json::parse(answer.out)["rows"];
    for (auto& row : rows) {
      for (auto& figure : row["figures"]) {
        EXPECT_LT(figure["interval_80"]["low"], figure["predicted"]);
        EXPECT_GT(figure["interval_80"]["high"], figure["predicted"]);
        figure.erase("interval_80");
      }
    }
    return rows;
  };
  EXPECT_EQ(rows_of(again), rows_of(fitted));
  EXPECT_EQ(run_overlane("calibrate -o yaml --table " + table).out, read_text(profile));
}

TEST(Calibrate, ExceededMarginIsAWarning) {
  const std::string arguments =
      "calibrate --predict --profile linux-server --table " + small_table("check");
  // Without a fit, linux-server with its latency of 5 µs is faster than the hosts of the table.
  const Answer answer = run_overlane(arguments);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, HasSubstr("[margin-missed]"));
  EXPECT_EQ(run_overlane(arguments + " --fail-on warning").exit_code, 1);
}

TEST(Calibrate, TableWithoutRowsToFitIsOnlyPredicted) {
  const Answer fit = run_overlane("calibrate --table " + small_table("check"));
  EXPECT_EQ(fit.exit_code, 3);
  EXPECT_THAT(fit.err, HasSubstr("[nothing-to-fit]"));
  const Answer predict =
      run_overlane("calibrate -o json --predict --table " + small_table("check"));
  EXPECT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_THAT(predict.out, HasSubstr("\"linux-server\""));
}

TEST(Calibrate, UsualProfilesAreTheMeansOfTheLibrarysHosts) {
  // The library's files begin with a line for editors.
  const std::string line =
      "# yaml-language-server: $schema=../../docs/reference/schemas/cost-profile.json\n";
  EXPECT_EQ(line + run_overlane("calibrate --library -o yaml").out,
            read_text(source_file("scenarios/library/linux-server.yaml")));
  EXPECT_EQ(line + run_overlane("calibrate --library --wire virtio -o yaml").out,
            read_text(source_file("scenarios/library/linux-guest.yaml")));
}

TEST(Calibrate, FitsBeginWithTheMeanOfHostsWithTheSameWire) {
  const auto profile_of = [](const std::string& table) {
    return nlohmann::json::parse(run_overlane("calibrate -o json --table " + table).out)["profile"];
  };
  EXPECT_EQ(profile_of(small_table("fit")), "linux-server");
  std::string guests = read_text(small_table("fit"));
  guests.replace(guests.find("wire: nic"), 9, "wire: virtio");
  EXPECT_EQ(profile_of(write_temporary("guests.yaml", guests)), "linux-guest");
}

/// The first request is fitted as a baseline; the table has neither streams nor datagrams.
TEST(Calibrate, ATableIsPredictedByTheHostsOfTheLibrary) {
  const auto json = nlohmann::json::parse(
      run_overlane("calibrate --unknown-hosts -o json --table " + small_table("check")).out);
  EXPECT_EQ(json["kind"], "UnknownHostsReport");
  ASSERT_EQ(json["scores"].size(), 2u);
  const auto& nothing = json["scores"][0];
  EXPECT_EQ(nothing["measured_before"], "nothing");
  ASSERT_EQ(nothing["figures"].size(), 2u);
  EXPECT_EQ(nothing["figures"][0]["row"], "host: rr, 1 flow, 6.1");
  EXPECT_LT(nothing["figures"][0]["low"], nothing["figures"][0]["predicted"]);
  EXPECT_EQ(json["scores"][1]["measured_before"], "two baseline rows");
  EXPECT_EQ(json["scores"][1]["figures"].size(), 1u) << "one row was fitted";
  EXPECT_EQ(run_overlane("calibrate --unknown-hosts -o yaml").exit_code, 2);
  EXPECT_EQ(run_overlane("calibrate --wire virtio --table x").exit_code, 2);
}

TEST(Calibrate, InvalidInputsAreRefused) {
  EXPECT_EQ(run_overlane("calibrate").exit_code, 2);
  EXPECT_EQ(run_overlane("calibrate --library --table x").exit_code, 2);
  EXPECT_EQ(run_overlane("calibrate --table nowhere.yaml").exit_code, 3);
  const Answer bad = run_overlane("calibrate --table scenarios/library/overlay-vs-routed.yaml");
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, StartsWith("scenarios/library/overlay-vs-routed.yaml:"));
  EXPECT_THAT(bad.err, HasSubstr("stands where a MeasurementTable is needed"));
  EXPECT_THAT(bad.err, Not(HasSubstr("spec")));
  EXPECT_THAT(run_overlane("calibrate --table nowhere").err, HasSubstr("cloudlab, "));
  EXPECT_THAT(run_overlane("calibrate --table cloudlab --profile nowhere").err,
              HasSubstr("linux-server"));
}

}  // namespace calibrate_test
}  // namespace overlane::command
