#include "scenarios/runner/plan/forecast.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/plan/memory.h"
#include "sim/run/estimate/work.h"

namespace overlane::runner {

Forecast forecast(const Plan& plan, std::uint32_t threads) {
  Forecast all{.runs = plan.runs.size(),
               .threads = std::min(threads, static_cast<std::uint32_t>(plan.runs.size())),
               .memory = memory_of(plan, threads)};
  for (const PlannedRun& run : plan.runs)
    all.packets += run::estimate_work(*plan.variants[run.variant].network, plan.traffic(run),
                                      plan.options.duration)
                       .packets;
  return all;
}

Result<void> check_events(const Plan& plan) {
  const Picos sending = plan.options.warm_up - plan.options.start_spread;
  if (plan.options.max_events == INT64_MAX || sending <= Picos{}) return {};
  for (const PlannedRun& run : plan.runs) {
    const LaidOut& variant = plan.variants[run.variant];
    const run::Work work = run::estimate_work(*variant.network, plan.traffic(run), sending);
    const double events = work.sure_packets * run::kMinEventsOfPacket;
    if (events <= static_cast<double>(plan.options.max_events)) continue;
    return fail(Finding{
        .rule = "event-limit",
        .severity = Severity::Error,
        .message = fmt::format("variant {} would take {:.0f} events or more for {} during its "
                               "warm-up alone, so that nothing would be measured; --max-events "
                               "allows {}",
                               variant.variant.name, events, name_of(plan.traffic(run)),
                               plan.options.max_events),
        .hint = "lower rates, fewer flows or a shorter warmup take fewer"});
  }
  return {};
}

}  // namespace overlane::runner
