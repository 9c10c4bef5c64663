#include "topologies/manifest/documents/manifest_set.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include "topologies/manifest/documents/document_decoder.h"
#include "topologies/manifest/documents/joined_shoot.h"
#include "topologies/manifest/documents/unused.h"

namespace overlane::manifest {

namespace {

/// Errors in a part take precedence over its being incomplete.
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
  /// About as many objects as a chunk of text holds.
  static constexpr std::size_t kGroup = 64;

  std::span<ObjectHead> group(std::size_t number) {
    const std::size_t at = number * kGroup;
    return std::span(objects_).subspan(at, std::min(kGroup, objects_.size() - at));
  }

  /// One file cannot hold two leaders of one name.
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
