#include "topologies/manifest/documents/manifest_set.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/documents/document_decoder.h"
#include "topologies/manifest/documents/joined_shoot.h"

namespace overlane::manifest {

std::optional<Finding> not_admitted(const Findings& findings) {
  const auto first = std::ranges::find(findings, Severity::Error, &Finding::severity);
  if (first == findings.end()) return std::nullopt;
  Finding refusal = *first;
  const auto errors = std::ranges::count(findings, Severity::Error, &Finding::severity);
  if (errors > 1) refusal.message += fmt::format(" (and {} more)", errors - 1);
  if (!refusal.hint.empty()) refusal.hint += ' ';
  refusal.hint += fmt::format("(rule {})", refusal.rule);
  refusal.rule = "not-admitted";
  return refusal;
}

namespace {

/// Maximum number of objects of a foreign kind and file that get a finding each.
constexpr std::size_t kNamedEach = 3;

bool is_foreign(const ObjectHead& object) {
  return object.kind == nullptr && object.refusal->rule == "unsupported-kind" &&
         object.refusal->severity == Severity::Note;
}

Finding unused(const ObjectHead& object, const std::string& message, std::string hint) {
  return refuse(object.name, object.root, "unused-document", message, std::move(hint),
                Severity::Note);
}

std::string_view type_path(ShootForm form) {
  switch (form) {
    case ShootForm::ManagedSeedSet:
      return "spec.shootTemplate.spec.networking.type";
    case ShootForm::Runtime:
      return "spec.shoot.networking.type";
    case ShootForm::None:
    case ShootForm::Shoot:
    case ShootForm::Shoot2020:
      break;
  }
  return "spec.networking.type";
}

Finding incomplete_shoot(const ObjectHead& object) {
  const ShootView shoot = view_shoot(object, object.root);
  if (shoot.form == ShootForm::Shoot2020)
    return refuse(object.name, object.root, "unsupported-fragment",
                  "only a part of a shoot: it has no spec.cloud", "give the whole Shoot");
  const document::Value networking = shoot.networking();
  const document::Value provider = object.root["spec"]["provider"];
  if (!networking && !misspelt_network_type(shoot) && provider["type"] &&
      provider["workers"].size() == 0)
    return unused(object, "a workerless shoot has no pod network", "");
  return without_network_type(object.name, object.root, shoot, type_path(shoot.form),
                              shoot.form == ShootForm::Runtime
                                  ? "write the type that kyma's controller would fill in"
                                  : "give the whole Shoot (workerless ones have no pod network)");
}

}  // namespace

Finding why_unused(const ObjectHead& object, const Grouping& grouping) {
  const std::string_view kind = object.kind->kind;
  if (const ObjectHead* first = grouping.repeats(object))
    return refuse(object.name, object.root, "duplicate-object",
                  fmt::format("this file holds another {} of this name before, in line {}; this "
                              "one is not used",
                              kind, first->place.line),
                  "keep one of the two");
  if (grouping.is_contested(object))
    return refuse(object.name, object.root, "ambiguous-document",
                  fmt::format("there are several objects that this {} could belong to, or several "
                              "like it; it is not used",
                              kind),
                  "give the documents of one landscape at a time", Severity::Warning);
  switch (object.kind->role) {
    case Role::Shoot:
      return incomplete_shoot(object);
    case Role::Cluster:
      if (auto finding = unknown_embedded_shoot(object)) return *std::move(finding);
      return refuse(object.name, object.root, "unsupported-fragment", "the Cluster embeds no shoot",
                    "give the whole Cluster");
    case Role::Seed:
      return unused(object,
                    fmt::format("no given shoot names this {}, and none without a seed could be "
                                "scheduled to it (by provider type, region, seedSelector and the "
                                "seed's settings.scheduling.visible)",
                                kind),
                    "");
    case Role::CloudProfile:
      return unused(object, fmt::format("no given shoot names this {}", kind), "");
    case Role::Network:
    case Role::Infrastructure:
    case Role::ControlPlane:
    case Role::Worker:
      break;
  }
  return unused(object, fmt::format("the shoot of this {} is not given", kind),
                "give its Shoot, Network or Cluster too");
}

Finding duplicate_in_other_file(const ObjectHead& object, const ObjectHead& first) {
  return refuse(object.name, object.root, "duplicate-object",
                fmt::format("another file of this input holds a {} of this name too ({}); each is "
                            "used by itself",
                            object.kind->kind, first.place.to_string()),
                "give one of the two, unless they are of two landscapes", Severity::Note);
}

ForeignKinds::ForeignKinds(const std::vector<ObjectHead>& objects) {
  for (const ObjectHead& object : objects)
    if (is_foreign(object)) ++kinds_[{file_of(object), object.name.kind}].objects;
}

std::optional<Finding> ForeignKinds::name(const ObjectHead& object) {
  if (!is_foreign(object)) return *object.refusal;
  Kind& kind = kinds_[{file_of(object), object.name.kind}];
  if (kind.objects <= kNamedEach) return *object.refusal;
  if (kind.named) return std::nullopt;
  kind.named = true;
  Finding all = *object.refusal;
  all.object = {.kind = object.name.kind};
  all.message = fmt::format("{} objects of kind {} do not describe a pod network; ignored",
                            kind.objects, object.name.kind);
  return all;
}

namespace {

/// Adds a fragment. In a summary it gets one finding: about its first error, or else that it is
/// incomplete.
void add_fragment(Decoded decoded, Detail detail, Leftover& rest) {
  if (decoded.spec && detail == Detail::Summary) {
    const Finding incomplete = std::move(decoded.findings.back());
    decoded.findings.pop_back();
    decoded.findings = {not_admitted(decoded.findings).value_or(incomplete)};
  }
  if (decoded.spec) rest.fragments.push_back(*std::move(decoded.spec));
  rest.findings.insert(rest.findings.end(), decoded.findings.begin(), decoded.findings.end());
}

bool are_of_several_files(const std::vector<ObjectHead>& objects) {
  return std::ranges::any_of(objects, [&](const ObjectHead& object) {
    return file_of(object) != file_of(objects.front());
  });
}

}  // namespace

class GroupDecoder::Input {
 public:
  Input(document::Stream stream, Detail detail, unsigned threads)
      : detail_(detail),
        objects_(list_objects(std::exchange(stream.documents, {}), threads)),
        several_files_(are_of_several_files(objects_)),
        grouping_(objects_),
        foreign_(objects_),
        garden_(detail),
        rest_{.findings = std::move(stream.findings)} {}

  std::size_t groups() const { return (objects_.size() + kGroup - 1) / kGroup; }

  std::vector<Shoot> decode(std::size_t number, const std::function<void(PodNetworkSpec)>& use) {
    std::vector<Shoot> shoots;
    for (const ObjectHead& object : group(number)) {
      const ShootDocuments* documents = grouping_.led_by(object);
      if (documents == nullptr) continue;
      Decoded joined = decode_joined(*documents, garden_, detail_);
      shoots.push_back({&object, std::move(joined.findings)});
      if (joined.spec) use(*std::move(joined.spec));
    }
    return shoots;
  }

  void add(std::size_t number, const std::vector<Shoot>& shoots) {
    auto shoot = shoots.begin();
    for (ObjectHead& object : group(number)) {
      if (shoot == shoots.end() || shoot->leader != &object) {
        add_other(object);
        continue;
      }
      add(shoot->findings);
      note_duplicate(object);
      if (grouping_.led_by(object)->is_alone()) object.free();
      ++shoot;
    }
  }

  Leftover finish() {
    for (const ObjectHead& object : objects_)
      add(garden_.findings_of(object));
    return std::move(rest_);
  }

 private:
  /// Number of objects in a group; about as many as a chunk of text contains.
  static constexpr std::size_t kGroup = 64;

  std::span<ObjectHead> group(std::size_t number) {
    const std::size_t at = number * kGroup;
    return std::span(objects_).subspan(at, std::min(kGroup, objects_.size() - at));
  }

  /// Adds a note if a leader of another file has the same name; within one file, Grouping rejects
  /// repeated objects.
  void note_duplicate(const ObjectHead& leader) {
    if (!several_files_) return;
    const auto [first, fresh] = leaders_.insert(&leader);
    if (!fresh && !leader.name.name.empty())
      rest_.findings.push_back(duplicate_in_other_file(leader, **first));
  }

  void add_other(const ObjectHead& object) {
    if (auto fragment = decode_fragment(object)) {
      add_fragment(*std::move(fragment), detail_, rest_);
    } else if (object.kind == nullptr) {
      if (auto finding = foreign_.name(object)) rest_.findings.push_back(*std::move(finding));
    } else if (!grouping_.is_used(object)) {
      if (object.is(Role::Seed)) garden_.seed(object);
      rest_.findings.push_back(why_unused(object, grouping_));
    }
  }

  void add(const Findings& findings) {
    rest_.findings.insert(rest_.findings.end(), findings.begin(), findings.end());
  }

  Detail detail_;
  std::vector<ObjectHead> objects_;
  bool several_files_;
  Grouping grouping_;
  ForeignKinds foreign_;
  GardenObjects garden_;
  std::unordered_set<const ObjectHead*, HashOfName, SameName>
      leaders_;  ///< Leaders of previous shoots.
  Leftover rest_;
};

GroupDecoder::GroupDecoder(document::Stream stream, Detail detail, unsigned threads)
    : input_(std::make_unique<Input>(std::move(stream), detail, threads)) {}
GroupDecoder::~GroupDecoder() = default;

std::size_t GroupDecoder::groups() const {
  return input_->groups();
}

std::vector<GroupDecoder::Shoot> GroupDecoder::decode(
    std::size_t group, const std::function<void(PodNetworkSpec)>& use) {
  return input_->decode(group, use);
}

void GroupDecoder::add(std::size_t group, const std::vector<Shoot>& shoots) {
  input_->add(group, shoots);
}

Leftover GroupDecoder::finish() {
  return input_->finish();
}

ManifestSet decode(const document::Stream& stream, Detail detail) {
  ManifestSet set;
  static_cast<Leftover&>(set) = decode_each(
      stream, detail, [](PodNetworkSpec spec) { return spec; },
      [&](PodNetworkSpec spec) { set.clusters.push_back(std::move(spec)); });
  return set;
}

}  // namespace overlane::manifest
