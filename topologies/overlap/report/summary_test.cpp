#include "topologies/overlap/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/inventory/rules.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace headline_test {

using answer::Tone;
using testing::contested;
using testing::report_of;

Overlap later(std::uint64_t creations) {
  Overlap overlap = contested("one", "two");
  overlap.urgency = Urgency::Later;
  overlap.provider = effective::Provider::Gcp;
  overlap.creations_until_conflict = creations;
  return overlap;
}

Overlap with(Overlap overlap, Urgency urgency, Severity severity = Severity::Error,
             bool sure = true) {
  overlap.urgency = urgency;
  overlap.impact.severity = severity;
  overlap.impact.sure = sure;
  return overlap;
}

RouteBudget budget(std::int64_t minimum, std::int64_t maximum, Severity severity) {
  RouteBudget its{.minimum = minimum, .maximum = maximum, .created_minimum = minimum};
  its.quota = 10;
  if (maximum > its.quota)
    its.finding = std::make_shared<const Finding>(Finding{.severity = severity});
  return its;
}

TEST(OverlapHeadline, NamesTheWorstAndWhenItBegins) {
  const Overlap now = contested("one", "two");
  struct Row {
    std::vector<Overlap> overlaps;
    std::vector<RouteBudget> budgets;
    std::string text;
    Tone tone;
  };
  const Row rows[] = {
      {{}, {}, "no conflict", Tone::Good},
      {{}, {budget(2, 9, {})}, "no conflict", Tone::Good},
      {{with(now, Urgency::Now, Severity::Note)},
       {},
       "no conflict (the pod ranges overlap)",
       Tone::Good},
      {{now}, {}, "1 conflict now", Tone::Bad},
      {{later(11)}, {}, "no conflict now; 1 conflict after 11 node creations", Tone::Bad},
      {{later(1), later(11)},
       {},
       "no conflict now; 2 conflicts later, the first after 1 node creation",
       Tone::Bad},
      {{later(0)}, {}, "no conflict now; 1 conflict when a shoot wakes up", Tone::Bad},
      {{now, now, later(1200)},
       {},
       "2 conflicts now; 1 conflict after 1,200 node creations",
       Tone::Bad},
      {{with(now, Urgency::NotCreated)},
       {},
       "no conflict now; 1 conflict once manifests are applied",
       Tone::Bad},
      {{}, {budget(12, 20, Severity::Error)}, "1 exceeded route quota now", Tone::Bad},
      {{now},
       {budget(12, 20, Severity::Error)},
       "1 conflict and 1 exceeded route quota now",
       Tone::Bad},
      {{},
       {budget(4, 20, Severity::Warning)},
       "no conflict now; 1 route quota exceeded after 7 more nodes",
       Tone::Warning},
      {{with(now, Urgency::Now, Severity::Warning)},
       {},
       "no conflict; 1 other overlap with a warning",
       Tone::Warning},
      {{with(later(11), Urgency::Later, Severity::Warning, false)},
       {},
       "no certain conflict; 1 possible conflict after 11 node creations if shoots share a network "
       "or table, which manifests do not show",
       Tone::Warning},
  };
  for (const Row& row : rows) {
    OverlapReport report = report_of(row.overlaps);
    report.budgets = row.budgets;
    EXPECT_EQ(headline(report), row.text);
    EXPECT_EQ(headline_tone(report), row.tone) << row.text;
  }
}

TEST(OverlapHeadline, SaysWhetherAndWherePodRangesOverlapWithoutConflict) {
  Overlap apart = with(contested("one", "two"), Urgency::Now, Severity::Note);
  apart.impact.rule = &rule("overlap-tables-of-their-own");
  OverlapReport report = report_of({apart});
  EXPECT_EQ(headline(report), "no conflict (the pod ranges overlap, in separate route tables)");
  report.overlaps.clear();
  report.groups[0].listed = 0;
  report.groups[0].pairs = 3;
  EXPECT_EQ(headline(report),
            "no conflict (pod ranges overlap in 3 pairs, in separate route tables)")
      << "notes are only counted without --notes";
  report.groups[0].kind = "services-services";
  EXPECT_EQ(headline(report), "no conflict");
  EXPECT_EQ(headline(report_of({apart, contested("one", "two")})), "1 conflict now");
}

TEST(OverlapHeadline, CountsPairsThatAreNotListed) {
  OverlapReport report = report_of({contested("one", "two")});
  report.groups[0].urgency = Urgency::Now;
  report.groups[0].pairs = 1001;
  EXPECT_EQ(headline(report), "1,001 conflicts now");
}

TEST(OverlapHeadline, NamesWhatWasNotComparedAndWhatIsLeftOut) {
  OverlapReport report;
  report.findings = {{.rule = "invalid-yaml", .severity = Severity::Error},
                     {.rule = "not-admitted", .severity = Severity::Error},
                     {.rule = "network-not-modelled", .severity = Severity::Note}};
  report.known = 3;
  report.errors_over = {{"connection/hub", 2}};
  EXPECT_EQ(headline(report),
            "no new conflict; 2 errors over connection/hub; 1 error about documents, so overlaps "
            "may be missing; 1 update refused by a running shoot; some shoots are not compared "
            "(network-not-modelled); 3 overlaps of the baseline not shown");
  EXPECT_EQ(headline_tone(report), Tone::Bad);
}

}  // namespace headline_test

}  // namespace overlane::overlap
