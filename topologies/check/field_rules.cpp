#include "topologies/check/own_rules.h"

namespace overlane::check {
namespace {

using rules::Enforcer;
using rules::Rule;

constexpr const char* kDecoders = "the strict decoders of Gardener and its extensions";
constexpr const char* kSeedValidation = "gardener/gardener pkg/api/core/validation/seed.go";
constexpr const char* kFieldSection = "fields";

constexpr Rule kFieldRules[] = {
    {.id = "wrong-type",
     .section = kFieldSection,
     .title = "A value has the wrong type for its field.",
     .why = "Gardener decodes strictly: a number where a string is wanted is refused.",
     .remedy = "write the value as the message says",
     .source = kDecoders},
    {.id = "missing-key",
     .section = kFieldSection,
     .title = "A required field is missing.",
     .why = "Validation refuses an object without them.",
     .remedy = "add the field",
     .source = kDecoders},
    {.id = "unknown-key",
     .section = kFieldSection,
     .title = "A NetworkConfig has an unknown field.",
     .why = "The network extensions' admission decodes strictly and refuses the shoot.",
     .remedy = "correct the spelling or remove the field",
     .source = kDecoders},
    {.id = "unknown-field",
     .section = kFieldSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "An object has a field that its API does not define.",
     .why = "The API server drops such a field: it has no effect.",
     .remedy = "correct the spelling or remove the field",
     .source = "gardener/gardener pkg/apis/core/v1beta1/types_shoot.go"},
    {.id = "bad-value",
     .section = kFieldSection,
     .title = "A value is not one of those that its field allows.",
     .why = "Validation refuses any other.",
     .remedy = "choose an allowed value",
     .source = kDecoders},
    {.id = "out-of-range",
     .section = kFieldSection,
     .title = "A number is outside its field's bounds.",
     .why = "What lies outside has no meaning.",
     .remedy = "choose a number within them",
     .source = "topologies/cni/declarative"},
    {.id = "invalid-cidr",
     .section = "N3",
     .title = "A range is not a network in CIDR notation.",
     .why = "Validation refuses a range that is no canonical network, such as 10.0.0.5/16.",
     .remedy = "write a network like 10.250.0.0/16",
     .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
    {.id = "seed-ranges-overlap",
     .section = "§3.2",
     .title = "A seed's networks or shootDefaults overlap.",
     .why =
         "Validation refuses such a Seed: its shoots would use ranges that the seed uses itself.",
     .remedy = "give the seed's networks and its shootDefaults ranges of their own",
     .source = kSeedValidation},
    {.id = "seed-reserved-range",
     .section = "§3.2",
     .title = "A seed's range overlaps those that Gardener reserves for its VPN.",
     .why = "240.0.0.0/8 to 244.0.0.0/8 and fd8f:6d53:b97a:1::/96 stand for the networks on both "
            "sides of the VPN. Validation refuses a Seed with such a range.",
     .remedy = "choose another range",
     .source = kSeedValidation},
    {.id = "seed-services-too-large",
     .section = "§3.2",
     .title = "A seed's service range is larger than /8.",
     .why = "The kube-apiserver's address among them is mapped into 240.0.0.0/8 for shoots. "
            "Validation refuses a larger IPv4 range.",
     .remedy = "use a /8 or a smaller range",
     .source = kSeedValidation},
    {.id = "deprecated-field",
     .section = kFieldSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "A field has a deprecated name.",
     .why = "Old spellings may go at any release; some have no effect any more.",
     .remedy = "use the new name",
     .source = kDecoders},
    {.id = "removed-field",
     .section = kFieldSection,
     .title = "A field was removed from the network extension's API.",
     .why = "Its admission decodes strictly and refuses the shoot.",
     .remedy = "remove the field",
     .source = "gardener-extension-networking-cilium pkg/apis/cilium/v1alpha1/types_network.go"},
    {.id = "wrong-api-version",
     .section = kFieldSection,
     .title = "A providerConfig has another apiVersion than its extension's.",
     .why = "The extension's decoder does not know any other.",
     .remedy = "write the apiVersion that the hint names",
     .source = kDecoders},
    {.id = "wrong-kind",
     .section = kFieldSection,
     .title = "A providerConfig has the wrong kind.",
     .why = "The extension's decoder does not know any other.",
     .remedy = "write the kind that the hint names",
     .source = kDecoders},
    {.id = "unknown-provider",
     .section = kFieldSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "A shoot does not name its provider.",
     .why = "Without it no cloud's defaults, limits and rules can be applied.",
     .remedy = "give the whole Shoot, with spec.provider.type",
     .source = "topologies/manifest"},
};

constexpr Rule kCheckRules[] = {
    {.id = "unknown-rule",
     .section = kFieldSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "The annotation overlane.dev/ignore names an unknown rule.",
     .why = "A misspelt id silences nothing.",
     .remedy = "`overlane check --list-rules` names all rules",
     .source = "topologies/check"},
    {.id = "rule-not-silenced",
     .section = kFieldSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "The annotation overlane.dev/ignore names a rule that it cannot silence.",
     .why = "An object that admission refuses, that cannot be reconciled or that cannot be read "
            "stays an error: an annotation of the object does not change that.",
     .remedy = "correct the object, or pass --ignore with the rule's id",
     .source = "topologies/check"},
    {.id = "no-counterpart",
     .section = kFieldSection,
     .severity = Severity::Note,
     .enforcer = Enforcer::Reader,
     .title = "An object is given only before or only after the update.",
     .why = "Objects are the same by kind, namespace and name. One that only the new manifests "
            "have is judged as about to be created, one that only the old ones have not at all.",
     .remedy = "look whether its name or namespace was changed by mistake",
     .source = "topologies/check"},
};

}  // namespace

std::span<const Rule> field_rules() {
  return kFieldRules;
}

std::span<const Rule> check_rules() {
  return kCheckRules;
}

}  // namespace overlane::check
