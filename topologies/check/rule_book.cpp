#include "topologies/check/rule_book.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "results/report/text.h"
#include "topologies/cni/declarative/declarative.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/fields/fields.h"
#include "topologies/domains/merge.h"
#include "topologies/live/live.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/rules/rule_tables.h"
#include "topologies/update/update.h"

namespace overlane::check {

namespace {

using rules::Rule;

void list_extension(const cni::NetworkExtension& extension, std::vector<const Rule*>& rules) {
  const std::vector<const Rule*> own = extension.rules();
  rules.insert(rules.end(), own.begin(), own.end());
}

bool stands_before(const Rule* a, const Rule* b) {
  return std::tie(a->section, a->id) < std::tie(b->section, b->id);
}

}  // namespace

RuleBook::RuleBook() {
  for (const auto& table :
       {input_rules(), field_rules(), check_rules(), domains::rules(), overlap::rules()})
    for (const Rule& rule : table)
      rules_.push_back(&rule);
  rules_.push_back(&overlap::unmodelled_rule());
  list_rules(rules::gardener_checks(), rules_);
  list_rules(rules::provider_checks(), rules_);
  list_rules(rules::omission_checks(), rules_);
  list_rules(rules::lints(), rules_);
  for (const auto& more : {update::rules(), live::rules()})
    rules_.insert(rules_.end(), more.begin(), more.end());
  for (const cni::Profile* cni : cni::profiles())
    list_extension(*cni->extension, rules_);
  list_extension(declarative::Extension({}), rules_);
  std::ranges::sort(rules_, stands_before);
}

const Rule* RuleBook::find(std::string_view id) const {
  const auto found = std::ranges::find(rules_, id, &Rule::id);
  return found == rules_.end() ? nullptr : *found;
}

std::vector<report::SarifRule> RuleBook::sarif_rules() const {
  std::vector<report::SarifRule> descriptions;
  for (const Rule* rule : rules_)
    descriptions.push_back({.id = rule->id,
                            .severity = rule->severity,
                            .title = rule->title,
                            .why = rule->why,
                            .remedy = rule->remedy,
                            .section = rule->section,
                            .enforcer = to_string(rule->enforcer),
                            .source = rule->source.text()});
  return descriptions;
}

std::string RuleBook::unknown(std::string_view id) const {
  std::vector<std::string_view> ids;
  for (const Rule* rule : rules_)
    ids.push_back(rule->id);
  const std::string_view close = document::closest(id, ids);
  return fmt::format("check has no rule {}; {}", id,
                     close.empty() ? "`overlane check --list-rules` names all of them"
                                   : fmt::format("did you mean {}?", close));
}

std::string_view noticed_by(rules::Enforcer enforcer) {
  switch (enforcer) {
    case rules::Enforcer::Admission:
      return "admission refuses the object";
    case rules::Enforcer::Reconcile:
      return "it is admitted, and then cannot be reconciled";
    case rules::Enforcer::None:
      return "no component: the object is accepted, but misbehaves";
    case rules::Enforcer::Reader:
      return "overlane, which cannot use the document";
  }
  return "";
}

std::string list_rules(const RuleBook& book) {
  std::size_t width = 0;
  for (const Rule* rule : book.rules())
    width = std::max(width, rule->id.size());
  constexpr std::size_t kSection = 9;  // Column where a wrapped title continues.
  std::string text;
  for (const Rule* rule : book.rules())
    text += report::wrapped(fmt::format("{:<8} {:<{}}  {:<7}  ", rule->section, rule->id, width,
                                        to_string(rule->severity)),
                            rule->title, report::terminal_width(), kSection);
  return text;
}

std::string explain_rule(const Rule& rule) {
  const std::size_t width = report::terminal_width();
  std::string text = fmt::format("{}\n{}\n{}\n", rule.id, report::wrapped("", rule.title, width),
                                 report::wrapped("", rule.why, width));
  text += report::wrapped("section:     ", rule.section, width);
  text += report::wrapped("severity:    ", to_string(rule.severity), width);
  text += report::wrapped("noticed by:  ", noticed_by(rule.enforcer), width);
  text += report::wrapped("what to do:  ", rule.remedy, width);
  return text + report::wrapped("source:      ", rule.source.dated(), width);
}

namespace {

using rules::Enforcer;

constexpr const char* kDocument = "topologies/document";
constexpr const char* kManifest = "topologies/manifest";
constexpr const char* kInputSection = "input";

constexpr Rule kInputRules[] = {
    {.id = "unreadable-file",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A file or folder cannot be opened.",
     .why = "What cannot be read is not judged.",
     .remedy = "correct the path, or give yourself the right to read it",
     .source = kDocument},
    {.id = "empty-file",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A file holds no document.",
     .why = "A file of spaces and comments is mostly the answer of a command that failed.",
     .remedy = "write a manifest into it, or leave it out",
     .source = kDocument},
    {.id = "binary-file",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A manifest is not text in UTF-8.",
     .why = "Kubernetes reads nothing else; UTF-16 is what some editors write.",
     .remedy = "save it as UTF-8",
     .source = kDocument},
    {.id = "invalid-yaml",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A manifest is not valid YAML.",
     .why = "A document that cannot be parsed is refused as a whole; other documents are read.",
     .remedy = "correct the line that is named",
     .source = kDocument},
    {.id = "invalid-json",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A document that looks like JSON is not valid JSON.",
     .why = "A document that cannot be parsed is refused as a whole; other documents are read.",
     .remedy = "correct the line that is named",
     .source = kDocument},
    {.id = "duplicate-key",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A mapping has the same key twice.",
     .why = "Readers of YAML disagree about which of two values counts; Kubernetes refuses both.",
     .remedy = "keep one of the two",
     .source = kDocument},
    {.id = "merge-key",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A mapping uses the merge key <<.",
     .why = "It is a proposal that YAML 1.2 does not have, and readers of Kubernetes differ.",
     .remedy = "write the keys out",
     .source = kDocument},
    {.id = "elision",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "Part of a document is left out with three dots.",
     .why = "An excerpt would be half-read: what it leaves out would count as not given.",
     .remedy = "give the whole document",
     .source = kDocument},
    {.id = "template",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A manifest contains template expressions.",
     .why = "Only the program that renders the template knows the values in their place.",
     .remedy = "render the template first",
     .source = kDocument},
    {.id = "other-format",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A file is in another format than YAML or JSON.",
     .why = "Manifests are often kept in Terraform, in a here document of a shell script or in "
            "Markdown; only the program that the file is for knows what they are in the end.",
     .remedy = "give the objects themselves, as kubectl prints them",
     .source = kDocument},
    {.id = "invalid-name",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A name or namespace is none that Kubernetes admits (DNS-1123).",
     .why = "The API server refuses it, and names become part of the commands that are printed.",
     .remedy = "write the name that the object has in its cluster",
     .source = "k8s.io/apimachinery pkg/util/validation/validation.go: v0.34"},
    {.id = "placeholder",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A placeholder has not been filled in.",
     .why = "A text such as <some-provider> was meant to be replaced before use.",
     .remedy = "write the value",
     .source = kManifest},
    {.id = "nesting-limit",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A document has more than 200 levels.",
     .why = "Kubernetes objects have about twenty; deeper ones are made to break readers.",
     .remedy = "give a Kubernetes object",
     .source = kDocument},
    {.id = "alias-limit",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "Aliases add more than 100,000 values to a document.",
     .why = "A short text with aliases of aliases grows without end.",
     .remedy = "write the values out",
     .source = kDocument},
    {.id = "token-limit",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "One value exceeds 2 MiB.",
     .why = "Kubernetes stores no object of that size.",
     .remedy = "leave the value out",
     .source = kDocument},
    {.id = "document-limit",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "An object exceeds 64 MiB, or a document with its items 512 MiB.",
     .why = "A document stands in memory as a whole.",
     .remedy = "split the file by --- lines",
     .source = kDocument},
    {.id = "input-limit",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "An input exceeds 4 GiB or 2,000,000 documents and list items.",
     .why = "A device or an endless stream could never be read to its end.",
     .remedy = "name a file instead, or give less at a time",
     .source = kDocument},
    {.id = "too-many-documents",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A file for one document holds several.",
     .why = "Which of several is meant would be a guess.",
     .remedy = "put the others into files of their own",
     .source = kDocument},
    {.id = "unsupported-kind",
     .section = kInputSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "An object has no bearing on pod networks.",
     .why =
         "Objects of other kinds are named once, in a note, and ignored; their contents are never "
         "shown. It is a warning where the kind looks like a misspelling, such as shoot.",
     .remedy = "correct the kind if it is misspelt; else nothing needs to be done",
     .source = kManifest},
    {.id = "unsupported-api-version",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "An object has an unsupported API version.",
     .why = "Fields of other versions have other names and meanings.",
     .remedy = "convert the object",
     .source = kManifest},
    {.id = "unsupported-fragment",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "Only a part of an object is given.",
     .why = "A part without kind, name or network type does not say what it belongs to.",
     .remedy = "give the whole object",
     .source = kManifest},
    {.id = "incomplete-document",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A part of a manifest is given without the object around it.",
     .why = "A part alone is read as strictly as in its place, but nothing can be derived of it.",
     .remedy = "give the whole Shoot, or the Network and its Cluster",
     .source = kManifest},
    {.id = "deprecated-api-version",
     .section = kInputSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "A Shoot has an outdated API version.",
     .why = "The API of 2020 is no longer served. It is read as the Shoot that it became.",
     .remedy = "convert it to core.gardener.cloud/v1beta1",
     .source = kManifest},
    {.id = "documents-disagree",
     .section = kInputSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "Documents about one shoot contradict each other.",
     .why = "Between a Network, a Shoot and other documents of a seed, the Network takes "
            "precedence, then the Shoot. They differ while a change is under way, or if a copy is "
            "old.",
     .remedy = "give documents of one and the same time",
     .source = kManifest},
    {.id = "patch-applied",
     .section = kInputSection,
     .severity = Severity::Note,
     .enforcer = Enforcer::Reader,
     .title = "A partial Shoot is merged into the whole one of its name.",
     .why =
         "Kustomize stores a change as such a patch. The Shoot is judged as it is after the patch.",
     .remedy = "nothing needs to be done",
     .source = kManifest},
    {.id = "ambiguous-document",
     .section = kInputSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "A document could belong to several shoots.",
     .why = "Several documents of the same name would do, so none of them is used.",
     .remedy = "give the documents of one landscape at a time",
     .source = kManifest},
    {.id = "unused-document",
     .section = kInputSection,
     .severity = Severity::Note,
     .enforcer = Enforcer::Reader,
     .title = "A document belongs to no shoot that is given.",
     .why = "A Seed, a CloudProfile or an Infrastructure is no pod network by itself.",
     .remedy = "give the Shoot, the Network or the Cluster too",
     .source = kManifest},
    {.id = "duplicate-object",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "An object is given twice.",
     .why = "If two in one file disagree, it is not known which one is correct: only the first "
            "is used. Shoots and Networks of one name in two files are used both, and noted: they "
            "may be of two landscapes, or before and after a change.",
     .remedy = "keep one of the two",
     .source = kManifest},
    {.id = "empty-list",
     .section = kInputSection,
     .severity = Severity::Note,
     .enforcer = Enforcer::Reader,
     .title = "A list has no items.",
     .why = "An empty one is mostly the answer to a question about the wrong namespace.",
     .remedy = "ask kubectl for all namespaces with -A",
     .source = kManifest},
    {.id = "not-admitted",
     .section = kInputSection,
     .enforcer = Enforcer::Admission,
     .title = "Gardener's admission would refuse the shoot.",
     .why = "`explain`, `trace` and `run` go no further with one that is refused, and name the "
            "first rule that it breaks; `check` names all of them instead.",
     .remedy = "correct what the rule in the hint says",
     .source = kManifest},
    {.id = "unsupported-cni",
     .section = kInputSection,
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "Overlane does not model this network type.",
     .why = "Overlane does not model other network types.",
     .remedy = "describe it by a NetworkProvider file",
     .source = "topologies/explain"},
    {.id = "unsupported-combination",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "Overlane does not model this combination of settings.",
     .why = "Some combinations are admitted, and what they do was never observed.",
     .remedy = "choose another combination, or add a row to the NetworkProvider file",
     .source = "topologies/cni"},
    {.id = "duplicate-network-type",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A network type is described twice.",
     .why = "If two descriptions disagree, it is not known which one is correct.",
     .remedy = "give each type once; calico and cilium need no file",
     .source = "topologies/explain"},
    {.id = "unknown-condition",
     .section = kInputSection,
     .enforcer = Enforcer::Reader,
     .title = "A row of a NetworkProvider file tests an unknown fact or field.",
     .why = "A condition on something else never holds.",
     .remedy = "declare the field under spec.fields",
     .source = "topologies/cni/declarative"},
};

}  // namespace

std::span<const Rule> input_rules() {
  return kInputRules;
}

namespace {

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
     .why = "A value outside the bounds has no meaning.",
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
