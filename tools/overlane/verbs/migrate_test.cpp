#include <algorithm>
#include <cstdint>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace migrate_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOpenStack = "topologies/library/manifests/shoot-openstack.yaml";
constexpr const char* kRouted = "topologies/library/manifests/shoot-aws.yaml";

Answer migrate(const std::string& arguments) {
  return run_overlane("migrate " + arguments);
}

TEST(Migrate, LeadsWithTheVerdictAndTheRecommendedStrategy) {
  const Answer answer = migrate(std::string(kOpenStack) + " --to routed");
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  EXPECT_THAT(
      unwrapped(answer.out),
      AllOf(testing::ContainsRegex(
                "^verdict: no-go: connections between [0-9]+ pairs .*, unless the network does "
                "not use OVN \\(then go-with-impact: "),
            HasSubstr("; check with `openstack network agent list` ")));
  EXPECT_THAT(answer.out, HasSubstr("recommended if the assumptions hold: routes-first\n"));
  EXPECT_THAT(unwrapped(answer.out), HasSubstr("-n garden-dev patch shoot overlay-openstack"));
}

/// The commands of the steps as a shell reads them: a line that ends with a backslash continues on
/// the next line.
std::vector<std::string> commands_of(const std::string& text) {
  std::vector<std::string> commands;
  std::istringstream lines(text);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    if (!goes_on && !line.starts_with("    ")) continue;
    const std::string words = line.substr(line.find_first_not_of(' '));
    const bool is_broken = words.ends_with('\\');
    const std::string part = is_broken ? words.substr(0, words.size() - 1) : words;
    if (goes_on)
      commands.back() += part;
    else
      commands.push_back(part);
    goes_on = is_broken;
  }
  return commands;
}

/// Whether a shell reads a line, without its indentation and a backslash at its end, as one word.
bool is_one_word(const std::string& line) {
  bool is_quoted = false;
  const std::size_t end = line.ends_with(" \\") ? line.size() - 2 : line.size();
  for (std::size_t i = line.find_first_not_of(' '); i < end; ++i) {
    if (line[i] == '\'') is_quoted = !is_quoted;
    if (line[i] == ' ' && !is_quoted) return false;
  }
  return true;
}

TEST(Migrate, CommandsArePastedAsTheyAre) {
  const std::string arguments = std::string(kOpenStack) + " --to routed";
  const auto json = nlohmann::json::parse(migrate(arguments + " -o json").out);
  const std::string out = migrate(arguments).out;
  const std::vector<std::string> commands = commands_of(out);
  for (const auto& step : json["steps"])
    for (const auto& command : step["commands"])
      EXPECT_THAT(commands, testing::Contains(command.get<std::string>()));
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 80 || is_one_word(line)) << line;
}

/// The options of `overlane` that a text recommends: `--disturb rollback@1h`, `--set migration.…`.
std::vector<std::string> recommended_options(const std::string& text) {
  std::vector<std::string> options;
  for (const std::string_view option : {"--disturb ", "--to ", "--set migration."})
    for (std::size_t at = text.find(option); at != std::string::npos;
         at = text.find(option, at + 1)) {
      std::string found = text.substr(at, text.find_first_of(" ,;)`]", at + option.size()) - at);
      while (found.ends_with('.') || found.ends_with(':'))
        found.pop_back();
      if (std::ranges::find(options, found) == options.end()) options.push_back(found);
    }
  return options;
}

// A command that is added to the one that recommends it must run: it may not fail with a wrong use
// or without usable input.
TEST(Migrate, RecommendedOptionsRun) {
  struct Row {
    const char* manifest;
    const char* to;
    bool has_rollback;
  };
  for (const Row& row :
       {Row{"shoot-aws-ipip", "routed", true}, Row{"shoot-aws-two-zones", "routed", true},
        Row{"shoot-aws", "ipip", true}, Row{"shoot-aws-ipip", "vxlan", false},
        Row{"shoot-azure-cilium", "routed", true}, Row{"shoot-gcp", "dual-stack", false}}) {
    const std::string file = fmt::format("topologies/library/manifests/{}.yaml", row.manifest);
    const std::string arguments = fmt::format("{} --to {} --runs 1", file, row.to);
    const std::string out = unwrapped(migrate(arguments).out);
    const std::vector<std::string> options = recommended_options(out);
    EXPECT_EQ(std::ranges::find(options, "--disturb rollback@1h") != options.end(),
              row.has_rollback)
        << arguments << out;
    for (const std::string& option : options) {
      const Answer answer = option.starts_with("--to ")
                                ? migrate(fmt::format("{} --runs 1 {}", file, option))
                                : migrate(fmt::format("{} {}", arguments, option));
      EXPECT_LE(answer.exit_code, 1) << arguments << " " << option << "\n" << answer.err;
    }
  }
}

TEST(Migrate, HazardsAreInEveryFormat) {
  const std::string arguments =
      "topologies/library/manifests/shoot-aws-ipip.yaml --to vxlan --nodes 2 --runs 1";
  const std::string file = write_temporary("hazards.html", "");
  const Answer text = migrate(arguments + " --html " + file);
  constexpr const char* kHazard = "since IPAM changes from host-local to calico-ipam";
  EXPECT_THAT(text.out, StartsWith("verdict: unknown: "));
  EXPECT_THAT(unwrapped(text.out), HasSubstr(kHazard));
  EXPECT_THAT(read_text(file), HasSubstr(kHazard));
  for (const char* format : {"markdown", "json"})
    EXPECT_THAT(migrate(arguments + " -o " + format).out, HasSubstr(kHazard)) << format;
}

TEST(Migrate, OnlyAGoExitsWith0) {
  const std::string today = std::string(kOpenStack) +
                            " --to routed --nodes 6 --strategy today "
                            "--set landscape.openstack.ovn=false "
                            "--set migration.bird.route-beyond-subnet=gateway";
  const Answer answer = migrate(today);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.out, StartsWith("verdict: outage: "));
  const Answer allowed = migrate(today + " --max-outage 1h");
  EXPECT_EQ(allowed.exit_code, 1);
  EXPECT_THAT(allowed.out, StartsWith("verdict: go-with-impact: established connections by"));
  EXPECT_EQ(migrate(today + " --max-outage 1h --accept node-ports").exit_code, 0);
}

TEST(Migrate, AcceptsOnlyImpactsThatExist) {
  const Answer answer = migrate(std::string(kOpenStack) + " --to routed --accept dns,hope");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("\"hope\" is no impact; there are dns, "));
}

/// All zones of OpenStack share one subnet, in which BIRD's routes work without a tunnel. Only
/// nodes without a cloud route to their pods lose packets, independent of their zone.
TEST(Migrate, ZonesOfOneSubnetLoseNoMoreThanOne) {
  const auto longest = [](const char* zones) {
    const std::string path = write_temporary(
        "one-openstack-subnet.yaml",
        std::string("apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
                    "metadata: {name: shop, namespace: garden-dev}\nspec:\n  provider:\n"
                    "    type: openstack\n    infrastructureConfig:\n"
                    "      apiVersion: openstack.provider.extensions.gardener.cloud/v1alpha1\n"
                    "      kind: InfrastructureConfig\n"
                    "      floatingPoolName: pool\n"
                    "      networks: {workers: 10.180.0.0/22}\n"
                    "    workers:\n"
                    "    - {name: w, machine: {type: m}, minimum: 6, maximum: 6, zones: ") +
            zones +
            "}\n  networking: {type: calico, pods: 100.96.0.0/16, services: 100.64.0.0/16, "
            "nodes: 10.180.0.0/22, providerConfig: {overlay: {enabled: true}}}\n");
    const Answer answer = migrate(path + " --to routed --strategy today -o json");
    const auto json = nlohmann::json::parse(answer.out);
    std::int64_t most = 0;
    for (const auto& outage : json["strategies"][0]["outages"])
      most = std::max(most, outage["longest_outage_ns"]["most"].get<std::int64_t>());
    return most;
  };
  const std::int64_t one_zone = longest("[a]");
  EXPECT_GT(one_zone, 0);
  EXPECT_EQ(longest("[a, b]"), one_zone);
}

TEST(Migrate, ShowsStepsOnRequest) {
  const std::string arguments = std::string(kRouted) + " --to ipip";
  EXPECT_THAT(migrate(arguments).out, Not(HasSubstr("gardenlet: ")));
  EXPECT_THAT(migrate(arguments + " --show-steps").out,
              HasSubstr("gardenlet: ControlPlane is ready"));
}

TEST(Migrate, ShowsInterruptedPairsOverTimeWithTheSteps) {
  const std::string today = std::string(kOpenStack) + " --to routed --nodes 6 --strategy today";
  EXPECT_THAT(migrate(today).out, Not(HasSubstr("  within a zone|")));
  EXPECT_THAT(migrate(today + " --show-steps").out, HasSubstr("  within a zone|"));
}

TEST(Migrate, MarkdownIsAChangeRequest) {
  const Answer answer = migrate(std::string(kOpenStack) + " --to routed -o markdown");
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  EXPECT_THAT(answer.out,
              StartsWith("# Switch of the pod network of garden-dev/overlay-openstack\n\n"
                         "**Verdict: no-go: "));
  EXPECT_THAT(answer.out,
              HasSubstr(", unless the network does not use OVN (then go-with-impact: "));
  for (const char* part :
       {"## Recommended if the assumptions hold: routes-first", "\n   ```sh\n", "## Afterwards",
        "## To go back", "\"providerConfig\":{\"overlay\":{\"enabled\":true},\"vxlan\":null}"})
    EXPECT_THAT(answer.out, HasSubstr(part));
}

TEST(Migrate, EveryFormatHasTheWorstVerdictAndItsLongestOutage) {
  const std::string arguments =
      "topologies/library/manifests/shoot-aws-two-zones.yaml --to routed --runs 2";
  const std::string file = write_temporary("worst.html", "");
  const std::string text = migrate(arguments + " --html " + file).out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && !line.empty();)
    EXPECT_LE(line.size(), 80u) << line;
  const std::string words = unwrapped(text);
  EXPECT_THAT(words, StartsWith("verdict: outage: connections between nodes stop for up to "));
  const auto json = nlohmann::json::parse(migrate(arguments + " -o json").out);
  const auto& strategies = json["strategies"];
  const auto best = std::ranges::find_if(
      strategies, [&](const auto& one) { return one["name"] == json["recommended"]; });
  ASSERT_NE(best, strategies.end());
  const auto& longest = (*best)["longest_outage_at_worst_ns"];
  EXPECT_GT(longest, json["conditions"][0]["otherwise_longest_outage_ns"])
      << "durations add to the route of the condition";
  const std::string worst = report::elapsed_text(longest.get<double>() / 1e9);
  const std::string answer =
      "longest outage between pods: none; " + worst + " if assumptions do not hold.";
  EXPECT_THAT(words.substr(0, 800), HasSubstr(answer));
  EXPECT_THAT(words.substr(0, 300), HasSubstr(", or " + worst + " if more assumptions do not"));
  EXPECT_THAT(read_text(file), HasSubstr("none; " + worst + " if assumptions do not hold"));
  EXPECT_THAT(words, testing::ContainsRegex(" routes-first outage [0-9]+ min [0-9]+ s none none "))
      << "the table has the figure of the failed assumption";
  const std::string csv = migrate(arguments + " -o csv").out;
  EXPECT_THAT(csv, HasSubstr(",verdict_as_assumed,reason,longest_outage_as_assumed_ns,"
                             "longest_outage_at_worst_ns,impacts,"));
  EXPECT_THAT(csv, HasSubstr("," + longest.dump() + ","));
  EXPECT_THAT(csv, HasSubstr("upstream DNS may fail for "));
  EXPECT_THAT(csv, HasSubstr(";established connections by NodePorts end"));
}

TEST(Migrate, ItsTablesFitATerminalAndNameTheirUnits) {
  const std::string arguments =
      "topologies/library/manifests/shoot-aws-two-zones.yaml --to routed --runs 2 "
      "--set migration.bird.route-beyond-subnet=";
  for (const char* answer : {"gateway", "unreachable"}) {
    const std::string text = migrate(arguments + answer).out;
    const std::string words = unwrapped(text);
    std::size_t headers = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      headers += line.starts_with("longest outage  ");
    EXPECT_EQ(headers, 1u) << answer << ": the table is not split";
    EXPECT_THAT(words, HasSubstr(" of 45 pairs"));
    EXPECT_THAT(words, HasSubstr("upstream DNS, possibly 10 of 10 nodes"));
    EXPECT_THAT(words, Not(HasSubstr("ordered pair")));
    EXPECT_EQ(words.find("cluster DNS (CoreDNS)") != words.npos, answer == std::string("gateway"));
  }
}

// The longest outage is shorter with the longer duration.
TEST(Migrate, RangesOfOutagesAscend) {
  const std::string text =
      unwrapped(migrate("topologies/library/manifests/shoot-aws-two-zones.yaml --to routed "
                        "--set migration.bird.route-beyond-subnet=unreachable")
                    .out);
  std::size_t ranges = 0;
  const std::regex range("([0-9.]+) s to ([0-9.]+) s");
  const std::size_t begin = text.find("least certain");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = text.substr(begin, text.find("afterwards") - begin);
  for (std::sregex_iterator at(table.begin(), table.end(), range), end; at != end; ++at) {
    EXPECT_LE(std::stod((*at)[1]), std::stod((*at)[2])) << at->str();
    ++ranges;
  }
  EXPECT_GT(ranges, 0u);
}

TEST(Migrate, DrawsTheRecommendedStrategy) {
  const std::string file = write_temporary("course.svg", "");
  const Answer answer =
      migrate(std::string(kOpenStack) + " --to routed --strategy today --svg " + file);
  EXPECT_THAT(answer.err, testing::IsEmpty());
  const std::string svg = read_text(file);
  EXPECT_THAT(svg, HasSubstr("<svg "));
  EXPECT_THAT(svg, HasSubstr(">node-2</text>"));
  EXPECT_THAT(svg, HasSubstr("ControlPlane is ready"));
}

TEST(Migrate, CiliumHasNoGateThatWaitsForRoutes) {
  const Answer answer = migrate(
      "topologies/library/manifests/shoot-azure-cilium.yaml --to routed --strategy seamless");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("[unsuitable-strategy]"));
}

TEST(Migrate, JsonHasBothEndsOfEveryAssumption) {
  const Answer answer = migrate(std::string(kOpenStack) + " --to routed --strategy today -o json");
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["kind"], "Migration");
  EXPECT_EQ(json["strategies"].size(), 1u);
  EXPECT_EQ(json["from"]["encapsulation"], "ipip");
  EXPECT_EQ(json["to"]["mode"], "routed");
  ASSERT_FALSE(json["assumptions"].empty());
  for (const auto& assumption : json["assumptions"]) {
    EXPECT_FALSE(assumption["range"].get<std::string>().empty());
    EXPECT_TRUE(assumption["longest_outage_ns"]["at_least"].is_number_integer());
    const bool is_never_over = assumption["parameter"] == "openstack.ovn";
    EXPECT_EQ(assumption["longest_outage_ns"]["at_most"].is_null(), is_never_over);
  }
}

TEST(Migrate, RefusesWhatItCannotAnswer) {
  struct Row {
    std::string arguments;
    int exit_code;
    const char* says;
  };
  const Row rows[] = {
      {kRouted, 2, "[no-target]"},
      {kRouted, 2, "--to ipip or vxlan or dual-stack"},
      {"--to ipip", 2, "PATH is required"},
      {std::string(kRouted) + " --to tunnel", 2, "routed"},
      {std::string(kRouted) + " --to ipip --strategy hope", 2, "[unknown-strategy]"},
      {std::string(kRouted) + " --to ipip --nodes 1", 2, "--nodes"},
      {std::string(kRouted) + " --to routed", 3, "[no-switch]"},
      {"topologies/library/manifests/shoot-gcp-vxlan.yaml --to ipip", 3, "[unsupported-migration]"},
      {"topologies/library/manifests/shoot-azure.yaml --to ipip", 3, "[not-admitted]"},
      {"topologies/library/manifests/shoot-aws-cilium.yaml --to ipip", 3,
       "[unsupported-migration]"},
      {"no-such-file.yaml --to routed", 3, "no-such-file.yaml"},
  };
  for (const Row& row : rows) {
    const Answer answer = migrate(row.arguments);
    EXPECT_EQ(answer.exit_code, row.exit_code) << row.arguments;
    EXPECT_THAT(unwrapped(answer.err), HasSubstr(row.says)) << row.arguments;
  }
}

}  // namespace migrate_test
}  // namespace overlane::command
