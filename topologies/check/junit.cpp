#include "topologies/check/junit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/xml_text.h"

namespace overlane::check {
namespace {

using document::xml_text;

/// Findings of one shoot, or of one file.
struct Subject {
  std::string name;
  std::vector<const Finding*> findings;
};

std::string subject_of(const Finding& finding) {
  const std::string name = finding.object.qualified();
  return name.empty() ? finding.place.file.str() : name;
}

std::vector<Subject> subjects_of(const Found& found) {
  std::vector<Subject> subjects;
  std::unordered_map<std::string, std::size_t> numbers;
  const auto subject = [&](const std::string& name) -> Subject& {
    const auto [known, is_new] = numbers.emplace(name, subjects.size());
    return is_new ? subjects.emplace_back(Subject{name, {}}) : subjects[known->second];
  };
  for (const std::string& name : found.subjects)
    subject(name);
  for (const Finding& finding : found.findings)
    subject(subject_of(finding)).findings.push_back(&finding);
  return subjects;
}

/// The rules that a subject breaks, each with its findings of weight.
std::vector<std::pair<std::string, std::vector<const Finding*>>> broken_rules(
    const Subject& subject, Severity threshold) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> broken;
  for (const Finding* finding : subject.findings) {
    if (finding->severity < threshold) continue;
    const auto found =
        std::ranges::find(broken, finding->rule, [](const auto& b) { return b.first; });
    if (found == broken.end())
      broken.emplace_back(finding->rule, std::vector{finding});
    else
      found->second.push_back(finding);
  }
  return broken;
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

std::string encode_junit(const Found& found, Severity threshold) {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  for (const Subject& subject : subjects_of(found)) {
    cases += passed_case(subject, threshold);
    const auto broken = broken_rules(subject, threshold);
    for (const auto& [rule, findings] : broken)
      cases += failed_case(subject.name, rule, findings);
    tests += 1 + broken.size();
    failures += broken.size();
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "  <testsuite name=\"overlane {2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "{3}  </testsuite>\n</testsuites>\n",
      tests, failures, found.verb, cases);
}

}  // namespace overlane::check
