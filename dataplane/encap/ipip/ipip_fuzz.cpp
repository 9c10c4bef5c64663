#include "dataplane/encap/ipip/testing/subject.h"
#include "dataplane/encap/testing/fuzz_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Subject = overlane::ipip::testing::Subject;
  overlane::encap::testing::FuzzProperties<Subject>::check({data, size});
  return 0;
}
