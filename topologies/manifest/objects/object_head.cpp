#include "topologies/manifest/objects/object_head.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/document/read/ordered_work.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {

namespace {

using document::Kind;
using document::Value;

bool encloses(std::string_view text, std::string_view open, std::string_view close) {
  const auto at = text.find(open);
  return at != text.npos && text.find(close, at) != text.npos;
}

bool is_placeholder(std::string_view text) {
  return text.size() > 2 && text.starts_with('<') && text.ends_with('>') &&
         text.find('\n') == text.npos;
}

/// The first `<word>` in `text`, or nothing.
std::string_view placeholder_in(std::string_view text) {
  constexpr std::string_view kWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  for (auto open = text.find('<'); open != text.npos; open = text.find('<', open + 1)) {
    const auto close = text.find_first_not_of(kWord, open + 1);
    if (close != text.npos && close > open + 1 && text[close] == '>')
      return text.substr(open, close + 1 - open);
  }
  return {};
}

bool is_elision(const Value& value) {
  const std::string_view text = value.text();
  return (!value.quoted() && (text == "..." || text == "\u2026")) || text == "[...]" ||
         text == "[\u2026]";
}

/// A text with a placeholder. The message shows only the placeholder of a longer text, which may be
/// confidential.
Unfilled placeholder(const Value& value) {
  const std::string_view text = value.text();
  return {value, "placeholder",
          is_placeholder(text)
              ? fmt::format("{} is the placeholder {}", value.path(), text)
              : fmt::format("{} holds a placeholder: {}", value.path(), placeholder_in(text)),
          "write the real value"};
}

Unfilled template_expression(const Value& value) {
  return {value, "template", fmt::format("{} is a template expression", value.path()),
          "render the template first, for example with `helm template`"};
}

/// The first `$NAME` or `${name}` in `text`, or nothing. Names without braces must be in capitals,
/// as in a shell's environment.
std::string_view variable_in(std::string_view text) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    const std::string_view name = text.substr(at + 1);
    if (name.starts_with('{')) {
      const auto close = name.find('}');
      if (close != name.npos) return text.substr(at, close + 2);
      continue;
    }
    const auto size = std::min(name.find_first_not_of(kCapitals), name.size());
    if (size > 0 && (name.front() < '0' || name.front() > '9')) return text.substr(at, size + 1);
  }
  return {};
}

/// A text with a variable. The message shows only the variable, because the text may be
/// confidential.
Unfilled variable(const Value& value) {
  return {value, "template",
          fmt::format("{} holds the variable {}", value.path(), variable_in(value.text())),
          "fill in the variables first, for example with `envsubst <FILE`, or with the program "
          "that the file is for (Mako, Terraform, Flux)"};
}

Unfilled left_out(const Value& value) {
  return {value, "elision", fmt::format("{} is left out (`...`)", value.path()),
          "write the real value"};
}

/// A quick test whether the text may be unfilled.
bool may_be_unfilled(std::string_view text) {
  constexpr std::size_t kMaxElisionBytes = std::string_view("[\u2026]").size();
  if (text.size() <= kMaxElisionBytes && !text.empty() &&
      std::string_view(".[\xe2").find(text.front()) != text.npos)
    return true;
  return text.find_first_of("<{$") != text.npos;
}

std::optional<Unfilled> judge(const Value& value) {
  const std::string_view text = value.text();
  if (!may_be_unfilled(text)) return std::nullopt;
  if (is_placeholder(text) || !placeholder_in(text).empty()) return placeholder(value);
  if (encloses(text, "{{", "}}")) return template_expression(value);
  if (!variable_in(text).empty()) return variable(value);
  if (is_elision(value)) return left_out(value);
  return std::nullopt;
}

std::optional<Unfilled> judge_unread(const Value& value) {
  const std::string_view text = value.text();
  if (!may_be_unfilled(text)) return std::nullopt;
  if (is_placeholder(text) && !value.quoted()) return placeholder(value);
  if (encloses(text, "{{", "}}") && !value.quoted()) return template_expression(value);
  if (is_elision(value)) return left_out(value);
  return std::nullopt;
}

template <typename Judge>
std::optional<Unfilled> find(const Value& value, Judge judge_scalar) {
  if (value.is(Kind::Scalar)) return judge_scalar(value);
  for (Value child : value)
    if (auto found = find(child, judge_scalar)) return found;
  return std::nullopt;
}

}  // namespace

bool may_hold_unfilled(const Value& document) {
  const std::string_view text = document.all_text();
  return std::ranges::any_of(std::array{"<", "{", "$", "...", "\u2026"},
                             [&](const char* sign) { return text.find(sign) != text.npos; });
}

std::optional<Unfilled> find_unfilled(const Value& value) {
  return find(value, judge);
}

std::optional<Unfilled> find_unfinished(const Value& value) {
  return find(value, judge_unread);
}

namespace {

constexpr std::string_view kCore = "core.gardener.cloud/v1beta1";
constexpr std::string_view kExtensions = "extensions.gardener.cloud/v1alpha1";

constexpr ObjectKind kKinds[] = {
    {"Shoot", kCore, Role::Shoot, ShootForm::Shoot},
    {"Shoot", "garden.sapcloud.io/v1beta1", Role::Shoot, ShootForm::Shoot2020},
    {"ManagedSeedSet", "seedmanagement.gardener.cloud/v1alpha1", Role::Shoot,
     ShootForm::ManagedSeedSet},
    {"Runtime", "infrastructuremanager.kyma-project.io/v1", Role::Shoot, ShootForm::Runtime},
    {"Network", kExtensions, Role::Network},
    {"Cluster", kExtensions, Role::Cluster},
    {"Infrastructure", kExtensions, Role::Infrastructure},
    {"ControlPlane", kExtensions, Role::ControlPlane},
    {"Worker", kExtensions, Role::Worker},
    {"Seed", kCore, Role::Seed},
    {kManagedSeed, "seedmanagement.gardener.cloud/v1alpha1", Role::Seed},
    {"CloudProfile", kCore, Role::CloudProfile},
    {"NamespacedCloudProfile", kCore, Role::CloudProfile},
};

/// Whether the apiVersion is of an API group of Gardener, current or before 2020, or empty.
bool is_gardener_group(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  return api_version.empty() || group.ends_with("gardener.cloud") ||
         group.ends_with("garden.sapcloud.io");
}

constexpr std::string_view kList = "List";

/// Whether a refused document of this role hides a pod network.
bool describes_network(Role role) {
  return role == Role::Shoot || role == Role::Network || role == Role::Cluster;
}

/// The finding about a document of one of Overlane's own kinds, which another reader handles.
Finding refuse_own(const ObjectHead& object) {
  const std::string_view use = document::hint_for_kind(object.name.kind);
  return refuse(
      object.name, object.root["kind"], "unsupported-kind",
      fmt::format("kind {} is not {} here", object.name.kind, use.empty() ? "known" : "used"),
      use.empty() ? document::closest_own_kind(object.name.kind) : std::string(use),
      use.empty() ? Severity::Warning : Severity::Note);
}

bool lacks_kind(const ObjectHead& object) {
  const std::string& kind = object.name.kind;
  return !object.root.is(Kind::Mapping) || kind.empty() || kind == "NetworkConfig";
}

/// Describes a value without kind in place of an object.
std::string describe_without_kind(const Value& root) {
  if (root.is(Kind::Sequence))
    return fmt::format("this is a list of {} values without kind and apiVersion", root.size());
  if (root.is(Kind::Scalar)) return "this is a single text, and no Kubernetes object";
  return "this is no complete Kubernetes object: it has no kind";
}

/// Whether `overlane check --live` reads objects of the kind.
bool is_of_live_cluster(std::string_view kind) {
  return kind == "Node" || kind == "IPPool" || kind == "FelixConfiguration";
}

bool is_lower_alphanumeric(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

/// Whether the text has only lower-case letters, digits, and hyphens between them.
bool is_dns_part(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) && std::ranges::all_of(text, [](char letter) {
           return is_lower_alphanumeric(letter) || letter == '-';
         });
}

bool is_dns_label(std::string_view text) {
  constexpr std::size_t kMaxLabel = 63;
  return text.size() <= kMaxLabel && is_dns_part(text);
}

bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t kMaxSubdomain = 253;
  if (text.size() > kMaxSubdomain) return false;
  for (auto dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
    if (!is_dns_part(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_dns_part(text);
}

/// The finding about an invalid name or namespace of the object. Nothing if one of them is
/// unfilled, which another finding reports.
std::optional<Finding> refuse_names_of(const ObjectHead& object) {
  const Value metadata = object.root["metadata"];
  if (find_unfilled(metadata["name"]) || find_unfilled(metadata["namespace"])) return std::nullopt;
  if (auto finding = refuse_name(object.name, metadata["name"], false)) return finding;
  return refuse_name(object.name, metadata["namespace"], true);
}

/// The finding that says why the object's kind is not read.
Finding refuse_kind(const ObjectHead& object, std::string_view api_version) {
  const Value& root = object.root;
  const std::string_view kind = object.name.kind;
  if (lacks_kind(object))
    return refuse(object.name, root, "unsupported-fragment",
                  kind == "NetworkConfig" ? "a NetworkConfig alone says nothing about a cluster"
                                          : describe_without_kind(root),
                  root.is(Kind::Sequence)
                      ? "give a list of whole objects, as `kubectl get shoots -A -o yaml` prints it"
                      : "give the whole Shoot or Network that it belongs to");
  if (const ObjectKind* current = find_other_version(kind, api_version))
    return refuse(object.name, root["apiVersion"] ? root["apiVersion"] : root,
                  "unsupported-api-version",
                  fmt::format("{} of apiVersion \"{}\" is not supported", kind, api_version),
                  fmt::format("convert it to {}", current->api_version),
                  describes_network(current->role) ? Severity::Error : Severity::Note);
  if (kind == "Shoot")  // Only Gardener has this kind, so the group is misspelt.
    return refuse(object.name, root["apiVersion"] ? root["apiVersion"] : root,
                  "unsupported-api-version",
                  fmt::format("Shoot of apiVersion \"{}\" is not known", api_version),
                  "write core.gardener.cloud/v1beta1");
  if (document::is_own_api_version(api_version)) return refuse_own(object);
  if (is_of_live_cluster(kind))
    return refuse(object.name, root["kind"], "unsupported-kind",
                  fmt::format("kind {} describes a running cluster and no shoot; ignored", kind),
                  "compare the shoot with it: `overlane check --live NODES_FILE SHOOT_FILE`",
                  Severity::Note);
  const std::string_view meant = closest_kind(kind, api_version);
  return refuse(object.name, root["kind"] ? root["kind"] : root, "unsupported-kind",
                fmt::format("kind {} does not describe a pod network; ignored", kind),
                meant.empty() ? "" : fmt::format("did you mean {}?", meant),
                meant.empty() ? Severity::Note : Severity::Warning);
}

ObjectHead head_of(const document::Tree& document, const Value& root) {
  return {.document = document, .root = root, .place = root.place(), .name = name_of(root)};
}

void add_objects(const document::Tree& document, const Value& root, std::string_view list_kind,
                 std::string_view list_version, std::vector<ObjectHead>& objects) {
  const auto list = document::list_head(root);
  const std::string_view kind = list ? std::string_view(list->kind) : "";
  if (list && root["items"].is(Kind::Sequence)) {
    if (root["items"].size() == 0) {
      ObjectHead empty = head_of(document, root);
      empty.refusal = std::make_unique<const Finding>(
          refuse(empty.name, root["items"], "empty-list",
                 fmt::format("this {} holds no item", kind), "", Severity::Note));
      objects.push_back(std::move(empty));
    }
    for (Value item : root["items"])
      add_objects(document, item, kind.substr(0, kind.size() - kList.size()),
                  root["apiVersion"].text(), objects);
    return;
  }
  // Items of a typed list (ShootList) may omit kind and apiVersion.
  ObjectHead object = head_of(document, root);
  if (object.name.kind.empty()) object.name.kind = list_kind;
  std::string_view version = root["apiVersion"].text();
  if (version.empty()) version = list_version;
  if (!lacks_kind(object)) object.kind = find_object_kind(object.name.kind, version);
  if (object.kind == nullptr) {
    object.refusal = std::make_unique<const Finding>(refuse_kind(object, version));
  } else if (auto invalid = refuse_names_of(object)) {
    object.kind = nullptr;
    object.refusal = std::make_unique<const Finding>(*std::move(invalid));
  }
  object.is_whole_shoot = describes_whole_shoot(object);  // While its tree is in the cache.
  objects.push_back(std::move(object));
}

std::vector<ObjectHead> objects_in(std::span<const document::Tree> documents) {
  std::vector<ObjectHead> objects;
  objects.reserve(documents.size());
  const document::ListHead no_list;
  for (const document::Tree& tree : documents) {
    const document::ListHead& list = tree.list() == nullptr ? no_list : *tree.list();
    std::string_view kind = list.kind;
    if (kind.ends_with(kList)) kind.remove_suffix(kList.size());
    add_objects(tree, tree.root(), kind, list.api_version, objects);
  }
  return objects;
}

}  // namespace

const ObjectKind* find_object_kind(std::string_view kind, std::string_view api_version) {
  const auto* row = std::ranges::find_if(kKinds, [&](const ObjectKind& one) {
    return one.kind == kind && one.api_version == api_version;
  });
  return row == std::end(kKinds) ? nullptr : row;
}

const ObjectKind* find_other_version(std::string_view kind, std::string_view api_version) {
  if (!is_gardener_group(api_version)) return nullptr;
  const auto* row = std::ranges::find(kKinds, kind, &ObjectKind::kind);
  return row == std::end(kKinds) ? nullptr : row;
}

std::string_view closest_kind(std::string_view kind, std::string_view api_version) {
  if (!is_gardener_group(api_version)) return "";
  std::array<std::string_view, std::size(kKinds)> kinds;
  std::ranges::transform(kKinds, kinds.begin(), &ObjectKind::kind);
  return document::closest(kind, kinds);
}

std::size_t HashOfName::operator()(const ObjectHead* object) const {
  const std::hash<std::string_view> hash;
  return (hash(object->name.namespace_) * 31 + hash(object->name.name)) * 31 +
         hash(object->name.kind);
}

std::vector<ObjectHead> list_objects(const std::vector<document::Tree>& documents,
                                     unsigned threads) {
  constexpr std::size_t kAtOnce = 4096;
  std::vector<ObjectHead> objects;
  objects.reserve(documents.size());
  document::OrderedWork work(threads);
  for (std::size_t at = 0; at < documents.size(); at += kAtOnce) {
    const auto some = std::span(documents).subspan(at, std::min(kAtOnce, documents.size() - at));
    work.add([some] { return objects_in(some); },
             [&objects](std::vector<ObjectHead> part) {
               std::ranges::move(part, std::back_inserter(objects));
             });
  }
  work.finish();
  return objects;
}

ObjectName name_of(const Value& object) {
  const Value metadata = object["metadata"];
  return {std::string(object["kind"].text()), std::string(metadata["namespace"].text()),
          std::string(metadata["name"].text())};
}

std::optional<Finding> refuse_name(const ObjectName& object, const Value& written,
                                   bool is_namespace) {
  // Another rule reports a value that is not a string.
  if (!written.is(Kind::Scalar) || written.scalar_type() != document::ScalarType::String)
    return std::nullopt;
  const std::string_view text = written.text();
  if (text.empty() || (is_namespace ? is_dns_label(text) : is_dns_subdomain(text)))
    return std::nullopt;
  return refuse(
      object, written, "invalid-name",
      fmt::format("{} \"{}\" is not admitted by Kubernetes (DNS-1123)", written.path(), text),
      is_namespace
          ? "a namespace has at most 63 lower-case letters, digits and hyphens, and begins "
            "and ends with a letter or digit"
          : "a name has at most 253 lower-case letters, digits, hyphens and dots, and each "
            "part between dots begins and ends with a letter or digit");
}

Finding refuse(const ObjectName& object, const Value& value, std::string rule,
               const std::string& message, std::string hint, Severity severity) {
  const std::string name = object.qualified();
  return {
      .rule = std::move(rule),
      .severity = severity,
      .message = document::one_line(name.empty() ? message : fmt::format("{}: {}", name, message)),
      .object = object,
      .path = document::one_line(value.path()),
      .place = value.place(),
      .hint = std::move(hint)};
}

Field<std::string> live_evidence(const Value& object) {
  const Value metadata = object["metadata"];
  for (const Value& evidence : {metadata["uid"], metadata["resourceVersion"], object["status"]})
    if (evidence && (evidence.is(Kind::Scalar) || evidence.size() > 0))
      return Located<std::string>{fmt::format("it has a {}", evidence.key()), evidence.key_place(),
                                  document::FieldPath(evidence)};
  return std::nullopt;
}

}  // namespace overlane::manifest
