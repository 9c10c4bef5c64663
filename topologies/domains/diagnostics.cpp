#include "topologies/domains/diagnostics.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/spelling.h"
#include "topologies/document/tree/source_text.h"

namespace overlane::domains {

void Diagnostics::add(const At& at, Finding finding) {
  finding.object = at.file->object;
  finding.message =
      document::one_line(fmt::format("{}: {}", finding.object.qualified(), finding.message));
  finding.path = at.file->path.empty() ? at.path : at.file->path + '.' + at.path;
  finding.place = at.place;
  finding.hint = document::one_line(finding.hint);
  findings_.push_back(std::move(finding));
}

void Diagnostics::add_contradiction(const At& at, std::string_view subject, std::string_view here,
                                    std::string_view otherwise, const SourceLocation& there) {
  add(at, {.rule = "contradictory-domains",
           .message =
               fmt::format("{} {} here and {} at {}", subject, here, otherwise, there.to_string()),
           .hint = "correct one of the two places"});
}

void Diagnostics::add_unknown_project(const At& at, const std::string& project,
                                      const std::vector<std::string_view>& known) {
  const std::string_view meant = document::closest(project, known);
  add(at, {.rule = "unknown-project",
           .message = fmt::format("project {} is not declared", project),
           .hint = meant.empty() ? "declare it under spec.projects, with its credentials"
                                 : fmt::format("did you mean {}?", meant)});
}

}  // namespace overlane::domains
