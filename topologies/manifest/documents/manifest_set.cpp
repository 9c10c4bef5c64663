#include "topologies/manifest/documents/manifest_set.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include "topologies/document/read/ordered_work.h"
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

/// Decodes objects in groups; shoots on any thread.
class Decoding {
 public:
  Decoding(document::Stream stream, Detail detail, const ClusterWork& work, unsigned threads)
      : detail_(detail),
        work_(work),
        threads_(threads),
        objects_(list_objects(std::exchange(stream.documents, {}), threads)),
        several_files_(are_of_several_files(objects_)),
        grouping_(objects_),
        foreign_(objects_),
        garden_(detail),
        rest_{.findings = std::move(stream.findings)} {}

  Leftover run() {
    document::OrderedWork ordered(threads_);
    for (std::size_t at = 0; at < objects_.size(); at += kGroup) {
      const Group group = std::span(objects_).subspan(at, std::min(kGroup, objects_.size() - at));
      ordered.add([this, group] {
        return [this, group, shoots = decode_shoots(group)] { add(group, shoots); };
      });
    }
    ordered.finish();
    for (const ObjectHead& object : objects_)
      add(garden_.findings_of(object));
    return std::move(rest_);
  }

 private:
  using Group = std::span<ObjectHead>;
  /// A decoded shoot.
  struct Shoot {
    const ObjectHead* leader;
    Findings findings;
    std::function<void()> done;
  };
  /// About as many objects as a chunk of text holds.
  static constexpr std::size_t kGroup = 64;
  std::vector<Shoot> decode_shoots(Group group) {
    std::vector<Shoot> shoots;
    for (const ObjectHead& object : group) {
      const ShootDocuments* documents = grouping_.led_by(object);
      if (documents == nullptr) continue;
      Decoded joined = decode_joined(*documents, garden_, detail_);
      Shoot& shoot = shoots.emplace_back(&object, std::move(joined.findings));
      if (joined.spec) shoot.done = work_(*std::move(joined.spec));
    }
    return shoots;
  }

  void add(Group group, const std::vector<Shoot>& shoots) {
    auto shoot = shoots.begin();
    for (ObjectHead& object : group) {
      if (shoot == shoots.end() || shoot->leader != &object) {
        add_other(object);
        continue;
      }
      if (shoot->done) shoot->done();
      add(shoot->findings);
      note_duplicate(object);
      if (grouping_.led_by(object)->is_alone()) object.free();
      ++shoot;
    }
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
  const ClusterWork& work_;
  unsigned threads_;
  std::vector<ObjectHead> objects_;
  bool several_files_;
  Grouping grouping_;
  ForeignKinds foreign_;
  GardenObjects garden_;
  std::unordered_set<const ObjectHead*, HashOfName, SameName>
      leaders_;  ///< Leaders of previous shoots.
  Leftover rest_;
};

}  // namespace

Leftover decode_each(document::Stream stream, Detail detail, const ClusterWork& work,
                     unsigned threads) {
  return Decoding(std::move(stream), detail, work, threads).run();
}

ManifestSet decode(const document::Stream& stream, Detail detail) {
  ManifestSet set;
  const ClusterWork keep = [&](PodNetworkSpec&& spec) {
    // std::function requires a copyable target.
    return [&set, kept = std::make_shared<PodNetworkSpec>(std::move(spec))] {
      set.clusters.push_back(std::move(*kept));
    };
  };
  static_cast<Leftover&>(set) = decode_each(stream, detail, keep);
  return set;
}

}  // namespace overlane::manifest
