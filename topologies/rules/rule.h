#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"

// A rule is a constant with an id, a severity, texts and a source; a check is a rule with the
// function that finds its violations. Checks are listed in tables, one per subject, and each folder
// with checks lists its tables; the code that runs them and the reference page read the same
// tables, so that none can be forgotten. `RuleReport` runs tables on the inputs of one shoot and
// collects the findings. It keeps a pointer to the `spec`, which must outlive it, and serves one
// thread; the tables are constants.
namespace overlane::rules {

/// The component that enforces a rule.
enum class Enforcer {
  Admission,  ///< Gardener or an extension refuses the object.
  Reconcile,  ///< It is admitted, but cannot be reconciled.
  None,       ///< It is accepted, but misbehaves.
  Reader,     ///< Overlane cannot use the document.
};

std::string_view to_string(Enforcer);

/// A rule. Findings name its id, and its documentation page is generated from these fields.
struct Rule {
  std::string_view id;       ///< Stable, kebab-case: "pods-overlap-services".
  std::string_view section;  ///< Gardener's numbering if there is one, otherwise the subject: "N5".
  Severity severity = Severity::Error;
  Enforcer enforcer = Enforcer::Admission;
  std::string_view title;    ///< One sentence that states the violation: the title of an alert.
  std::string_view why;      ///< The consequence, in plain sentences.
  std::string_view remedy;   ///< The hint of its findings.
  sources::Citation source;  ///< Source from which the rule follows.
};

/// A rule and the function that reports its violations.
template <typename Inputs>
struct Check {
  Rule rule;
  void (*run)(const Inputs& inputs, class RuleReport& report);
};

/// The checks of one subject (RuleTable) and of several (RuleTables). A table is a function, so
/// that a list of tables can be a constant.
template <typename Inputs>
using RuleTable = std::span<const Check<Inputs>> (*)();
template <typename Inputs>
using RuleTables = std::span<const RuleTable<Inputs>>;

/// The table of an array of checks with static storage.
template <const auto& kChecks>
constexpr auto table_of() -> std::span<const std::remove_cvref_t<decltype(kChecks[0])>> {
  return kChecks;
}

/// The rules of a table, for documentation.
template <typename Inputs>
void list_rules(std::span<const Check<Inputs>> checks, std::vector<const Rule*>& rules) {
  for (const Check<Inputs>& check : checks)
    rules.push_back(&check.rule);
}
/// Lists the rules of several tables.
template <typename Inputs>
void list_rules(RuleTables<Inputs> tables, std::vector<const Rule*>& rules) {
  for (const RuleTable<Inputs> table : tables)
    list_rules(table(), rules);
}

/// Collects the findings of rules about one shoot.
class RuleReport {
 public:
  /// Rules with a lower severity than `least` are not run.
  explicit RuleReport(const manifest::PodNetworkSpec& spec, Severity least = Severity::Note)
      : spec_(&spec), least_(least) {}

  /// Call this for a live object, which admission has accepted: findings of admission rules then
  /// concern the next change only, and are at most warnings.
  void set_admitted() { is_admitted_ = true; }
  /// Call this for a live object: hints that recommend another dataplane then name `overlane
  /// migrate` first, because such a change may interrupt a running shoot.
  void set_live() { is_live_ = true; }

  /// Runs checks; each adds findings of its rule.
  template <typename Inputs>
  void run(std::span<const Check<Inputs>> checks, const Inputs& inputs) {
    for (const Check<Inputs>& check : checks) {
      if (check.rule.severity < least_) continue;
      rule_ = &check.rule;
      check.run(inputs, *this);
    }
  }
  template <typename Inputs>
  void run(RuleTables<Inputs> tables, const Inputs& inputs) {
    for (const RuleTable<Inputs> table : tables)
      run(table(), inputs);
  }

  /// Adds a finding of the running rule at a given value. An empty `hint` stands for the rule's
  /// remedy.
  template <typename T>
  void add(const manifest::Located<T>& at, const std::string& message, std::string hint = "") {
    add(at.path, at.place, message, std::move(hint));
  }
  void add(std::string path, SourceLocation place, const std::string& message,
           std::string hint = "");
  /// Adds a finding about the network's configuration as a whole.
  void add(const std::string& message, std::string hint = "");
  /// Adds a finding that depends on an assumed value: it is at most a warning.
  void add_assumed(std::string path, SourceLocation place, const std::string& message,
                   std::string hint = "");
  template <typename T>
  void add_assumed(const manifest::Located<T>& at, const std::string& message,
                   std::string hint = "") {
    add_assumed(at.path, at.place, message, std::move(hint));
  }

  const Findings& findings() const { return findings_; }
  Findings take() { return std::move(findings_); }

 private:
  const manifest::PodNetworkSpec* spec_;
  Severity least_;
  bool is_admitted_ = false;
  bool is_live_ = false;
  const Rule* rule_ = nullptr;
  Findings findings_;
};

}  // namespace overlane::rules
