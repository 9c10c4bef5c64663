#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace observe_test {

using testing::HasSubstr;
using testing::Not;

const std::string kShoot = "topologies/library/manifests/shoot-aws.yaml";

TEST(Observe, SeriesIsAddedToTheReportAndChangesNothingElse) {
  const auto plain = nlohmann::json::parse(run_overlane("run -o json " + kShoot).out);
  EXPECT_FALSE(plain["variants"][0].contains("series"));
  const auto counted =
      nlohmann::json::parse(run_overlane("run -o json --series=40ms --series-nodes " + kShoot).out);
  EXPECT_EQ(counted["result_hash"], plain["result_hash"]);
  const auto& series = counted["variants"][1]["series"];
  ASSERT_EQ(series.size(), 7u) << "the traffic is not concurrent";
  EXPECT_EQ(series[0]["end_ns"], (std::vector<int>{40'000'000, 80'000'000, 100'000'000}));
  EXPECT_EQ(series[0]["traffic"][0]["name"], "bulk");
  EXPECT_EQ(series[0]["traffic"][0]["goodput_bps"].size(), 3u);
  EXPECT_EQ(series[0]["nodes"]["cpu_utilisation_ppm"]["max"].size(), 3u);
  EXPECT_EQ(series[0]["each_node"][0]["name"], "node-1");
  EXPECT_EQ(counted["variants"][1]["traffic"][0]["steady_state"]["method"], "mser-5");
}

TEST(Observe, SeriesIsDrawnInTheTable) {
  const Answer answer = run_overlane("run --series " + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("over time (each bar 2.00 ms"));
  EXPECT_THAT(answer.out, HasSubstr("  bulk throughput (█ 5.0"));
  EXPECT_THAT(answer.out, HasSubstr("    ipip   ▇██████"));
  EXPECT_THAT(run_overlane("run " + kShoot).out, Not(HasSubstr("over time")));
}

TEST(Observe, InvalidIntervalIsRefusedWithASuggestion) {
  const Answer absurd = run_overlane("run --series=1ns " + kShoot);
  EXPECT_EQ(absurd.exit_code, 2);
  EXPECT_THAT(absurd.err, HasSubstr("[series-too-long]; intervals of "));
  EXPECT_EQ(run_overlane("run --series=0ms " + kShoot).exit_code, 2);
  const Answer no_unit = run_overlane("run --series=10 " + kShoot);
  EXPECT_EQ(no_unit.exit_code, 2);
  EXPECT_THAT(no_unit.err, HasSubstr("has no unit"));
}

TEST(Observe, FlowIsTracedToStandardErrorOrAsJsonLines) {
  const Answer answer = run_overlane("run --quiet --trace-flow bulk/0 --trace-limit 20 " + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, HasSubstr("flow bulk/0 of variant routed: 100."));
  EXPECT_THAT(answer.err, HasSubstr("sent 60 B [S] seq 0"));
  EXPECT_THAT(answer.err, HasSubstr("more lines (--trace-limit)"));
  EXPECT_THAT(answer.err, HasSubstr("where the time of all packets went"));

  const std::string file = write_temporary("trace.jsonl", "");
  EXPECT_EQ(run_overlane("run --trace-flow bulk/0 --trace-out " + file + " " + kShoot).exit_code,
            0);
  const std::string text = read_text(file);
  const auto line = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(line["event"], "sent");
  EXPECT_EQ(line["tcp"]["flags"], "S");
}

TEST(Observe, UnknownFlowIsAUsageErrorWithAListOfFlows) {
  const Answer answer = run_overlane("run --trace-flow web/3 " + kShoot);
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("--trace-flow web/3: there is no such traffic"));
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("there are bulk/0 (100."));
  EXPECT_EQ(run_overlane("run --trace-limit 5 " + kShoot).exit_code, 2) << "of what?";
}

TEST(Observe, CaptureIsReadByDecode) {
  const std::string file = write_temporary("run.pcapng", "");
  const std::string stem = file.substr(0, file.rfind('.'));
  EXPECT_EQ(run_overlane("run --pcap " + file + " --pcap-limit 50 --pcap-sample 1/10 " + kShoot)
                .exit_code,
            0);
  const Answer decoded = run_overlane("decode " + stem + "-ipip-bulk.pcapng");
  EXPECT_EQ(decoded.exit_code, 0) << decoded.err;
  EXPECT_THAT(decoded.out, HasSubstr("50 packets, 0 of them with problems"));
  EXPECT_THAT(decoded.out, HasSubstr("10.250.0.4 > 10.250.0.5, ttl 63, df\n"));
  EXPECT_EQ(run_overlane("run --pcap /nowhere/x.pcapng " + kShoot).exit_code, 4);
  EXPECT_EQ(run_overlane("run --pcap " + file + " --pcap-sample 0 " + kShoot).exit_code, 2);
}

}  // namespace observe_test

namespace run_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kShoot = "topologies/library/manifests/shoot-aws.yaml";

nlohmann::json report(const std::string& arguments) {
  return nlohmann::json::parse(run_overlane("run -o json " + arguments).out);
}

/// Differences between two reports as a JSON patch, without the parts in which equal runs may
/// differ: state of the machine, run time and number of threads.
std::string differences(nlohmann::json first, nlohmann::json second) {
  for (auto* json : {&first, &second}) {
    json->erase("environment");
    for (auto& variant : (*json)["variants"])
      if (!variant["engine"].is_null())
        for (const char* field : {"setup_seconds", "loop_seconds", "threads", "one_thread_because"})
          variant["engine"].erase(field);
  }
  return nlohmann::json::diff(first, second).dump();
}

TEST(Run, ComparesRoutedIpipAndVxlanForAManifest) {
  const Answer answer = run_overlane("run " + kShoot);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("routed"));
  EXPECT_THAT(answer.out, HasSubstr("ipip"));
  EXPECT_THAT(answer.out, HasSubstr("vxlan"));
  EXPECT_THAT(answer.out, HasSubstr("Gbit/s"));
}

TEST(Run, SummaryFitsAScreen) {
  const Answer answer = run_overlane("run --summary " + kShoot);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_LE(std::ranges::count(answer.out, '\n'), 22);
  for (const char* text :
       {"vxlan is worse than routed: ", "\n  small-datagrams, goodput ",
        "\n  requests-across-zones, latency ", "\n  many-flows, goodput ", "\n  incast, goodput ",
        "\n  connections, per second ", "Without --summary"})
    EXPECT_THAT(answer.out, HasSubstr(text));
  EXPECT_EQ(run_overlane("run --summary -o json " + kShoot).exit_code, 2);
  const Answer comment = run_overlane("run --summary -o markdown " + kShoot);
  EXPECT_THAT(comment.out, HasSubstr("```\n"));
  EXPECT_THAT(comment.out, HasSubstr("\n  connections, per second "));
}

TEST(Run, ResultDependsOnTheSeedOnly) {
  const auto first = report(kShoot + " --seed 7");
  EXPECT_EQ(first["kind"], "RunReport");
  EXPECT_EQ(first["seed"], 7);
  EXPECT_EQ(differences(first, report(kShoot + " --seed 7 --threads 1")), "[]");
  EXPECT_NE(report(kShoot + " --seed 8")["result_hash"], first["result_hash"]);
}

TEST(Run, PrintsTheScenarioInsteadOfRunningIt) {
  const Answer answer = run_overlane("run --print-scenario " + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("kind: Scenario"));
  EXPECT_THAT(answer.out, HasSubstr(kShoot));
}

TEST(Run, ScenarioCanNameANetworkProviderOfTheLibrary) {
  const std::string network = source_file("topologies/library/manifests/network-gardenet.yaml");
  const Answer alone = run_overlane("run " + network + " gardenet");
  EXPECT_EQ(alone.exit_code, 3);
  EXPECT_THAT(unwrapped(alone.err),
              HasSubstr("write a Scenario with manifests: [SHOOT_FILE, gardenet]"));
  const std::string scenario = write_temporary(
      "gardenet-scenario.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
      "  manifests: [" +
          network +
          ", gardenet]\n  duration: 5ms\n  warmup: 1ms\n"
          "  traffic: [{name: bulk, kind: tcp}]\n");
  const Answer answer = run_overlane("run " + scenario);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
}

/// The step after "Write a scenario": the files to which a copied scenario refers must be found
/// from any folder.
TEST(Run, CopiesOfTheLibrarysScenariosRun) {
  for (const char* name : {"overlay-vs-routed", "default-calico"}) {
    const std::string text =
        read_text(source_file("scenarios/library/") + std::string(name) + ".yaml");
    const Answer answer =
        run_overlane("run --no-ranges --summary " + write_temporary("mine.yaml", text));
    EXPECT_EQ(answer.exit_code, 0) << name << ": " << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("ipip is "));
    EXPECT_THAT(answer.out, HasSubstr("than routed: up to 4")) << "half of what many flows carry";
  }
}

TEST(Run, UnknownTopologyIsRefusedWithThoseOfTheLibrary) {
  const std::string file =
      write_temporary("lost.yaml",
                      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
                      "spec:\n  topology: aws-three-zones\n"
                      "  traffic: [{name: bulk, kind: tcp}]\n");
  const Answer answer = run_overlane("run " + file);
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("or a name of the library: aws-two-zones, "));
}

TEST(Run, RangesAreOverTheHostsBehindAMeanProfile) {
  const auto ranged = report(kShoot);
  EXPECT_EQ(ranged["cost_hosts"].size(), 6u);
  EXPECT_EQ(ranged["shoot"], "garden-dev/routed-aws");
  EXPECT_EQ(ranged["present_variant"], "routed");
  const auto plain = report("--no-ranges " + kShoot);
  EXPECT_FALSE(plain.contains("cost_hosts"));
  EXPECT_EQ(plain["result_hash"], ranged["result_hash"]);
}

TEST(Run, MarkdownHasTheSummaryTheFiguresAndTheirRanges) {
  const Answer answer = run_overlane("run -o markdown " + kShoot);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out,
              StartsWith("# default-calico: routed, ipip and vxlan compared\n\nSimulated for shoot "
                         "garden-dev/routed-aws (now routed), 20"));
  for (const char* text :
       {"\n- ipip is worse than routed: up to ", "\nRanges are over the hosts behind linux-server",
        "\n| **traffic many-flows (tcp; ", "\n| goodput | ", "\n| connections/s | ",
        "\n## Limited by\n", "\n## Assumed (no given document says so)\n", "\n- result hash: "})
    EXPECT_THAT(answer.out, HasSubstr(text));
}

TEST(Run, DrawsTheTopology) {
  const std::string file = write_temporary("topology.dot", "");
  EXPECT_EQ(run_overlane("run --graphviz " + file + " " + kShoot).exit_code, 0);
  EXPECT_THAT(read_text(file), StartsWith("digraph"));
}

TEST(Run, OneResultGoesToStandardOutput) {
  const Answer page = run_overlane("run shoot-aws --no-ranges --html -");
  EXPECT_THAT(page.out, StartsWith("<!doctype html>"));
  EXPECT_THAT(page.out, HasSubstr("<h1>default-calico: routed, ipip and vxlan compared</h1>"));
  EXPECT_THAT(page.err, HasSubstr("default-calico: routed, ipip and vxlan compared\nSimulated"));
  EXPECT_EQ(run_overlane("run shoot-aws --no-ranges --html - -o json").exit_code, 2);
}

TEST(Run, InvalidNodesAndShootAreRefused) {
  EXPECT_EQ(run_overlane("run --nodes 0 " + kShoot).exit_code, 2);
  const Answer none = run_overlane("run --shoot garden-dev/nobody " + kShoot);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no shoot garden-dev/nobody"));
  const Answer impossible = run_overlane("run --nodes 1000000 " + kShoot);
  EXPECT_EQ(impossible.exit_code, 3);
  EXPECT_THAT(impossible.err, HasSubstr("error: "));
}

TEST(Run, ScenarioWithAnUnknownKeyIsRefusedAtItsLocation) {
  const std::string file = write_temporary("scenario.yaml",
                                           "apiVersion: overlane.dev/v1alpha1\n"
                                           "kind: Scenario\n"
                                           "metadata:\n"
                                           "  name: x\n"
                                           "spec:\n"
                                           "  durations: 1s\n");
  const Answer answer = run_overlane("run " + file);
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr(file + ":6:3: error: "));
}

TEST(Run, UnknownCostProfileIsRefusedWithThoseOfTheLibrary) {
  std::string text = run_overlane("run --print-scenario " + kShoot).out;
  const std::string profile = "costProfile: linux-server";
  text.replace(text.find(profile), profile.size(), "costProfile: linux-sever");
  const Answer answer = run_overlane("run " + write_temporary("misspelt.yaml", text));
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("misspelt.yaml:"));
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("linux-sever is no cost profile of the library"));
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("linux-server, "));
}

/// The comparison with a duration that is never reached.
std::string endless_scenario() {
  std::string text = run_overlane("run --print-scenario " + kShoot).out;
  const std::string duration = "duration: 100ms";
  text.replace(text.find(duration), duration.size(), "duration: 3600s");
  const std::string shoot = '\'' + kShoot + '\'';
  text.replace(text.find(shoot), shoot.size(), source_file(kShoot));
  return write_temporary("endless.yaml", text);
}

TEST(Run, InterruptedRunReportsPartialResults) {
  const std::string scenario = endless_scenario();
  const std::string drawn = write_temporary("drawn.dot", "");
  const std::string out = write_temporary("interrupted.json", "");
  for (const std::string signal : {"INT", "TERM"}) {
    write_temporary("drawn.dot", "");
    // The signal is sent after the topology file exists, because signals are handled from then on.
    const Answer answer =
        run_overlane("run " + scenario + " --threads 1 -o json --out " + out + " --graphviz " +
                     drawn + " & p=$!; while ! [ -s " + drawn +
                     " ]; do sleep 0.05; done; sleep 0.3; kill -" + signal + " $p; wait $p");
    EXPECT_EQ(answer.exit_code, 130) << answer.err;
    const auto report = nlohmann::json::parse(read_text(out));
    const auto& variants = report["variants"];
    EXPECT_EQ(variants[0]["status"], "partial");
    EXPECT_THAT(variants[0]["reason"], HasSubstr("bulk: interrupted"));
    EXPECT_GT(variants[0]["traffic"][0]["packets"]["sent"], 0);
    EXPECT_EQ(variants[1]["status"], "not-run");
    EXPECT_EQ(variants[1]["reason"], "the run was interrupted before");
    EXPECT_TRUE(variants[1]["engine"].is_null());
    EXPECT_EQ(report["findings"].back()["rule"], "interrupted");
  }
}

TEST(Run, ProgressIsShownOnATerminalOnly) {
  const auto seen = [](const std::string& options) {
    return run_overlane("run " + endless_scenario() + " --threads 1 --out /dev/null " + options +
                            "' /dev/null",
                        "timeout -s INT 5 script -qec 'timeout -s INT 1.2")
        .out;
  };
  EXPECT_THAT(seen(""), HasSubstr(" left; 0 of 21 runs"));
  EXPECT_THAT(seen("--quiet"), Not(HasSubstr("of 21 runs")));
  EXPECT_THAT(run_overlane("run " + endless_scenario() + " --threads 1 --out /dev/null",
                           "timeout -s INT 1.2")
                  .err,
              Not(HasSubstr("of 12 runs")));
}

TEST(Run, EventsAndMemoryCanBeLimited) {
  const Answer cut = run_overlane("run --max-events 5000 -o json " + kShoot);
  EXPECT_EQ(cut.exit_code, 4);
  EXPECT_THAT(cut.err, HasSubstr("[event-limit]"));
  const auto report = nlohmann::json::parse(cut.out);
  EXPECT_EQ(report["variants"][0]["status"], "partial");
  EXPECT_THAT(report["variants"][0]["reason"], HasSubstr("bulk: ended behind 5000 events"));
  EXPECT_TRUE(report["comparison"].empty());

  const Answer large = run_overlane("run --max-memory 10MB " + kShoot);
  EXPECT_EQ(large.exit_code, 4);
  EXPECT_THAT(large.err, HasSubstr("[memory-limit]"));
  EXPECT_THAT(large.out, IsEmpty());
  EXPECT_EQ(run_overlane("run --max-memory 1GiB " + kShoot).exit_code, 0);
  EXPECT_EQ(run_overlane("run --max-memory much " + kShoot).exit_code, 2);
  EXPECT_EQ(run_overlane("run --max-events 0 " + kShoot).exit_code, 2);
}

/// A Scenario of datagrams at a constant rate, with more fields of its traffic and of its spec.
std::string paced_datagrams(const char* of_traffic, const char* of_spec = "") {
  return write_temporary(
      "paced.yaml",
      fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: paced}}\n"
                  "spec:\n  topology: aws-two-zones\n  duration: 100ms\n"
                  "  variants:\n  - {{name: ipip, networkConfig: {{overlay: {{enabled: true}}}}}}\n"
                  "  traffic: [{{name: paced, kind: udp, pattern: ring, rate: 8Mbit/s, "
                  "payloadBytes: 1000{}}}]\n{}",
                  of_traffic, of_spec));
}

TEST(Run, FastLeavesOutEventsAndChangesNoResult) {
  auto full = report(paced_datagrams(""));
  auto fast = report("--fast " + paced_datagrams(""));
  EXPECT_EQ(full["result_hash"], fast["result_hash"]);
  auto& engine = fast["variants"][0]["engine"];
  EXPECT_FALSE(full["variants"][0]["engine"].contains("skipped"));
  EXPECT_GT(engine["skipped"]["spans"], 0) << engine;
  EXPECT_GT(engine["skipped"]["skipped_ns"], 50'000'000);
  EXPECT_EQ(engine["skipped"]["simulated_ns"], 100'000'000);
  EXPECT_TRUE(engine["skipped"]["none_because"].is_null());
  EXPECT_LT(engine["events"], full["variants"][0]["engine"]["events"]);
  engine.erase("skipped");
  engine["events"] = full["variants"][0]["engine"]["events"];
  EXPECT_EQ(differences(full, fast), "[]");

  const Answer text = run_overlane("run --fast " + paced_datagrams(""));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(unwrapped(text.out), HasSubstr("% of the simulated time"));
  const Answer random = run_overlane("run --fast " + paced_datagrams(", arrivals: poisson"));
  EXPECT_THAT(unwrapped(random.out),
              HasSubstr("nothing: no traffic is datagrams at a constant rate"));
}

TEST(Run, AScenarioAsksForAFastRun) {
  const auto engine_of = [](const nlohmann::json& report) {
    return report["variants"][0]["engine"];
  };
  const auto full = report(paced_datagrams("", "  fast: false\n"));
  const auto fast = report(paced_datagrams("", "  fast: true\n"));
  EXPECT_EQ(full["result_hash"], fast["result_hash"]);
  EXPECT_FALSE(engine_of(full).contains("skipped"));
  EXPECT_GT(engine_of(fast)["skipped"]["spans"], 0);
  EXPECT_LT(engine_of(fast)["events"], engine_of(full)["events"]);
  EXPECT_GT(
      engine_of(report("--fast " + paced_datagrams("", "  fast: false\n")))["skipped"]["spans"], 0)
      << "the option wins";

  const Answer random =
      run_overlane("run " + paced_datagrams(", arrivals: poisson", "  fast: true\n"));
  EXPECT_THAT(unwrapped(random.out),
              HasSubstr("nothing: no traffic is datagrams at a constant rate"));
  const Answer wrong = run_overlane("run " + paced_datagrams("", "  fast: often\n"));
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("spec.fast"));
}

TEST(Run, WhyShowsTheEffectOfTheConstantBehindALimit) {
  const auto plain = report(kShoot);
  EXPECT_FALSE(plain["variants"][0]["limits"][0].contains("movements"));
  const auto why = report("--why " + kShoot);
  EXPECT_EQ(why["result_hash"], plain["result_hash"]);
  const auto& movement = why["variants"][0]["limits"][0]["movements"][0];
  EXPECT_EQ(movement["constant"], "fabric.single_flow");
  EXPECT_EQ(movement["value"], "5 Gbit/s");
  EXPECT_GT(movement["after"], movement["before"]);
  EXPECT_THAT(run_overlane("run --why " + kShoot).out,
              HasSubstr("fabric.single_flow 5 Gbit/s → 5500 Mbit/s: goodput +10.0 %"));
}

TEST(Run, WhyAnalyzesTheNamedFigure) {
  const auto latency = report("--why=latency " + kShoot);
  EXPECT_EQ(latency["variants"][0]["explained"][0]["metric"], "latency_ns.p99");
  EXPECT_FALSE(report("--why " + kShoot)["variants"][0].contains("explained"));
  const Answer unknown = run_overlane("run --why=speed " + kShoot);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("is none of goodput, latency, cpu, all"));
}

TEST(Run, RepetitionsHaveTheirOwnSeeds) {
  const auto repeated = report("--repetitions 2 " + kShoot);
  ASSERT_EQ(repeated["seeds"].size(), 2u);
  EXPECT_EQ(repeated["seeds"][0], 1);
  const auto& figures = repeated["variants"][0]["traffic"][0]["repetitions"];
  EXPECT_EQ(figures[1]["metric"], "goodput_bps");
  EXPECT_EQ(figures[1]["values"].size(), 2u);
  const auto second =
      report("--seed " + std::to_string(repeated["seeds"][1].get<std::int64_t>()) + " " + kShoot);
  EXPECT_EQ(second["variants"][0]["traffic"][0]["goodput_bps"], figures[1]["values"][1]);
  EXPECT_EQ(differences(repeated, report("--repetitions 2 --threads 1 " + kShoot)), "[]");
  EXPECT_THAT(run_overlane("run --repetitions 2 " + kShoot).out, HasSubstr("95 % confidence"));
  EXPECT_EQ(run_overlane("run --repetitions 0 " + kShoot).exit_code, 2);
}

/// The error for an invalid command line.
std::string refusal(const std::string& arguments) {
  const Answer answer = run_overlane("run " + arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_THAT(answer.out, IsEmpty());
  return answer.err;
}

TEST(Run, InputsAreNotOverwritten) {
  const std::string text = run_overlane("run --print-scenario " + kShoot).out;
  const std::string scenario = write_temporary("mine.yaml", text);
  const std::string other = write_temporary("other", "");
  for (const std::string option :
       {"--out", "--graphviz", "--pcap", "--trace-flow bulk/0 --trace-out"})
    EXPECT_THAT(refusal(scenario + " " + option + " " + scenario), HasSubstr("would overwrite"));
  EXPECT_EQ(read_text(scenario), text);
  // Files to which the scenario refers are not overwritten either.
  const std::string manifest = write_temporary("named.yaml", read_text(source_file(kShoot)));
  const std::string naming =
      write_temporary("naming.yaml",
                      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
                      "spec:\n  manifests: [" +
                          manifest + "]\n  traffic: [{name: bulk, kind: tcp}]\n");
  EXPECT_THAT(refusal(naming + " --out " + manifest), HasSubstr("would overwrite"));
  EXPECT_EQ(read_text(manifest), read_text(source_file(kShoot)));
  EXPECT_THAT(refusal(kShoot + " --out " + other + " --graphviz " + other),
              HasSubstr("--out and --graphviz would write to the same file"));
  EXPECT_EQ(run_overlane("run --out /dev/null --graphviz /dev/null " + kShoot).exit_code, 0);
}

TEST(Run, UnwritableOutputIsReportedBeforeTheRun) {
  for (const std::string file : {"/nonexistent/file", "/tmp"}) {
    const Answer answer = run_overlane(
        "run " + endless_scenario() + " --trace-flow bulk/0 --trace-out " + file, "timeout 20");
    EXPECT_EQ(answer.exit_code, 4);
    EXPECT_THAT(answer.err, HasSubstr("cannot write the result to " + file + ": "));
  }
}

TEST(Run, ResultDoesNotDependOnStandardError) {
  const std::string unheard = "sh -c 'exec \"$@\" 2>/dev/full' sh";
  const Answer cut = run_overlane("run -o json --max-events 5000 " + kShoot, unheard);
  EXPECT_EQ(cut.exit_code, 4);
  EXPECT_THAT(cut.out, StartsWith("{"));
  // The trace could not be written.
  EXPECT_EQ(run_overlane("run --quiet --trace-flow bulk/0 " + kShoot, unheard).exit_code, 4);
}

TEST(Run, NumbersOutOfRangeAreRefused) {
  const std::string long_number = "99999999999999999999";
  EXPECT_THAT(refusal("--seed " + long_number + " " + kShoot), HasSubstr("too large"));
  EXPECT_THAT(refusal("--max-events " + long_number + " " + kShoot), HasSubstr("too large"));
  EXPECT_THAT(refusal("--max-memory -1 " + kShoot), HasSubstr("-1 bytes"));
  EXPECT_THAT(refusal("--trace-flow '' " + kShoot), HasSubstr("a flow has a name"));
}

TEST(Run, ScenarioTogetherWithOtherFilesIsRefused) {
  const std::string scenario = "scenarios/library/overlay-vs-routed.yaml";
  for (const std::string& paths : {scenario + " " + kShoot, kShoot + " " + scenario,
                                   scenario + " " + scenario, "- < " + scenario}) {
    const Answer answer = run_overlane("run " + paths);
    EXPECT_EQ(answer.exit_code, 3) << paths;
    EXPECT_THAT(answer.err, HasSubstr("error: a Scenario is "));
    EXPECT_THAT(answer.err, HasSubstr("give its file alone"));
  }
}

TEST(Run, FileOfAnotherKindIsRefusedWithTheVerbThatReadsIt) {
  const Answer domains = run_overlane("run topologies/library/routing-domains.yaml");
  EXPECT_EQ(domains.exit_code, 3);
  EXPECT_THAT(domains.err, HasSubstr("`overlane overlap --domains FILE` reads it"));
  const Answer topology = run_overlane("run topologies/library/aws-two-zones.yaml");
  EXPECT_THAT(topology.err, HasSubstr("run a Scenario that names it"));
}

TEST(Run, FullDiskFailsTheRun) {
  const Answer answer = run_overlane("run -o json --out /dev/full " + kShoot);
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_THAT(answer.err, HasSubstr("/dev/full"));
}

}  // namespace run_test

}  // namespace overlane::command
