#include "topologies/domains/merge.h"

namespace overlane::domains {
namespace {

using rules::Enforcer;
using rules::Rule;

constexpr Rule kRules[] = {
    {.id = "contradictory-domains",
     .section = "domains",
     .enforcer = Enforcer::Reader,
     .title = "RoutingDomains files contradict each other.",
     .why = "Whether two shoots disturb each other hangs on it, and nobody could say which of the "
            "two counts. What is said twice alike is no contradiction.",
     .remedy = "correct one of the two places",
     .source = "topologies/domains"},
    {.id = "unknown-project",
     .section = "domains",
     .enforcer = Enforcer::Reader,
     .title = "A network of a RoutingDomains file is in an undeclared project.",
     .why = "A project says which credentials lead into it; of another one no shoot is known to be "
            "in it.",
     .remedy = "declare it under spec.projects, with its credentials",
     .source = "topologies/domains"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

}  // namespace overlane::domains
