#pragma once

#include <vector>

#include "topologies/document/syntax/parse.h"

namespace overlane::check {

/// An object that is judged: as findings name it, and its parts as they are written.
struct JudgedObject {
  ObjectName name;
  SourceLocation place;
  document::Value metadata;
  document::Value spec;
  bool whole = true;  ///< False: only a patch, or another part of a shoot.
};

/// The objects of a stream. Of Clusters and of others that hold a shoot, the shoot.
std::vector<JudgedObject> judged_objects(const document::Stream& stream);

}  // namespace overlane::check
