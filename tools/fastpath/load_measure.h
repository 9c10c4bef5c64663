#pragma once

#include <memory>

#include "dataplane/dpdk/bench/load_figures.h"
#include "dataplane/dpdk/io/eal.h"
#include "tools/fastpath/bench_subject.h"
#include "tools/overlane/cli/search_options.h"

namespace overlane::fastpath {

/// Loads up to this one are searched by default: more than a core forwards.
inline constexpr std::int64_t kUnreachableLoad = 100'000'000;
/// And from this one on: CSIT's least, 9,001 packets per second.
inline constexpr std::int64_t kMinLoad = 9'001;

/// Trials are a tenth of CSIT's, so that a case takes seconds.
inline const command::SearchOptions kLoadDefaults{.goals = {.trial = milliseconds(100)}};

/// Adds the options of a search and --trials to a verb.
void add_load_options(CLI::App& verb, command::SearchOptions& options);

/// The tester's ports: with the second of the cores for the node, if there is one.
Parsed<std::unique_ptr<dpdk::LoadTester>> make_tester(const BenchSubject& subject,
                                                      const dpdk::EalOptions& eal);

/// The goals and the range of the options, where they are valid. A load must have a packet to offer
/// in each trial.
Parsed<dpdk::LoadPlan> load_plan(const command::SearchOptions& options, bool all_figures);

/// The search of a case on the tester's ports.
Parsed<dpdk::LoadFigures> measure_load(dpdk::LoadTester& tester, const BenchSubject& subject,
                                       const BenchedCase& one, const dpdk::LoadPlan& plan);

/// "With one core …": what the figures are, for below a table; and why some are irregular.
std::string load_note(bool takes_turns);
/// Also how many packets need the full path.
std::string irregular_lines(const std::string& name, const dpdk::LoadFigures& figures);

}  // namespace overlane::fastpath
