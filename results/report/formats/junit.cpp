#include "results/report/formats/junit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/report/formats/svg.h"

namespace overlane::report {
namespace {

/// The findings of one shoot or of one file: a test suite of the report.
struct Subject {
  std::string name;
  std::vector<const Finding*> findings;
};

std::string subject_of(const Finding& finding) {
  const std::string name = finding.object.qualified();
  return name.empty() ? finding.place.file.str() : name;
}

std::vector<Subject> subjects_of(const FindingSet& set) {
  std::vector<Subject> subjects;
  std::unordered_map<std::string, std::size_t> numbers;
  const auto subject = [&](const std::string& name) -> Subject& {
    const auto [known, is_new] = numbers.emplace(name, subjects.size());
    return is_new ? subjects.emplace_back(Subject{name, {}}) : subjects[known->second];
  };
  for (const std::string& name : set.subjects)
    subject(name);
  for (const Finding& finding : set.findings)
    subject(subject_of(finding)).findings.push_back(&finding);
  return subjects;
}

/// The violated rules of a subject, each with its findings of at least `threshold`.
std::vector<std::pair<std::string, std::vector<const Finding*>>> violated_rules(
    const Subject& subject, Severity threshold) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> violated;
  for (const Finding* finding : subject.findings) {
    if (finding->severity < threshold) continue;
    const auto found =
        std::ranges::find(violated, finding->rule, [](const auto& pair) { return pair.first; });
    if (found == violated.end())
      violated.emplace_back(finding->rule, std::vector{finding});
    else
      found->second.push_back(finding);
  }
  return violated;
}

std::string failed_case(const std::string& subject, const std::string& rule,
                        const std::vector<const Finding*>& findings) {
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\">\n"
      "      <failure type=\"{}\" message=\"{}\">",
      xml_text(subject), xml_text(rule), to_string(findings.front()->severity),
      xml_text(findings.front()->message));
  for (const Finding* finding : findings)
    text += xml_text(finding->to_string()) + '\n';
  return text + "</failure>\n    </testcase>\n";
}

std::string passed_case(const Subject& subject, Severity threshold) {
  std::string output;
  for (const Finding* finding : subject.findings)
    if (finding->severity < threshold) output += xml_text(finding->to_string()) + '\n';
  const std::string start =
      fmt::format("    <testcase classname=\"{}\" name=\"checked\"", xml_text(subject.name));
  if (output.empty()) return start + "/>\n";
  return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", start, output);
}

}  // namespace

std::string encode_junit(const FindingSet& set, Severity threshold) {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  for (const Subject& subject : subjects_of(set)) {
    cases += passed_case(subject, threshold);
    const auto violated = violated_rules(subject, threshold);
    for (const auto& [rule, findings] : violated)
      cases += failed_case(subject.name, rule, findings);
    tests += 1 + violated.size();
    failures += violated.size();
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "  <testsuite name=\"overlane {2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "{3}  </testsuite>\n</testsuites>\n",
      tests, failures, set.verb, cases);
}

}  // namespace overlane::report
