#include "tools/overlane/cli/search_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/options.h"

namespace overlane::command {
namespace {

/// Takes a percentage for a ratio; search::check() knows its range.
CLI::Option* add_percent(CLI::App& verb, const std::string& name, double& ratio,
                         const std::string& what) {
  return verb
      .add_option_function<double>(
          name, [&ratio](double percent) { ratio = percent / 100; }, what)
      ->type_name("PERCENT");
}

}  // namespace

void add_search_options(CLI::App& verb, SearchOptions& options) {
  verb.add_option_function<std::vector<double>>(
          "--loss",
          [&options](const std::vector<double>& percents) {
            options.goals.loss_ratios.clear();
            for (const double percent : percents)
              options.goals.loss_ratios.push_back(percent / 100);
          },
          "Goals: the largest share of packets that a trial may lose; 0 is NDR and 0.5 is PDR "
          "(default: 0,0.5)")
      ->type_name("PERCENT[,PERCENT...]")
      ->delimiter(',');
  add_percent(verb, "--exceed", options.goals.exceed_ratio,
              "The share of trials at a load that may lose more (default: 50)");
  add_percent(verb, "--width", options.goals.width,
              "Distance of the two loads that a result is between (default: 0.5)");
  add_time_option(verb, "--trial", options.goals.trial,
                  fmt::format("Duration of a trial (default: {}ms)",
                              options.goals.trial.whole_nanoseconds() / 1'000'000));
  for (const auto& [name, load, what] :
       {std::tuple{"--min", &options.min, "The smallest load to try, in packets per second"},
        std::tuple{"--max", &options.max, "The largest load to try, in packets per second"}}) {
    verb.add_option(name, *load, what)
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, INT64_MAX))
        ->check(CLI::Validator(too_long, ""));
  }
}

}  // namespace overlane::command
