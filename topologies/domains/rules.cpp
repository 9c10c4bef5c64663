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
     .why =
         "Whether two shoots share routes depends on it, and it is not known which of the two is "
         "correct. Equal repetitions are allowed.",
     .remedy = "correct one of the two places",
     .source = "topologies/domains"},
    {.id = "unknown-project",
     .section = "domains",
     .enforcer = Enforcer::Reader,
     .title = "A network of a RoutingDomains file is in an undeclared project.",
     .why = "A project declares its credentials; without them, no shoot is known to be in the "
            "project.",
     .remedy = "declare it under spec.projects, with its credentials",
     .source = "topologies/domains"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

}  // namespace overlane::domains
