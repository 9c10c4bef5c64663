#include "topologies/overlap/map/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace overlap_svg_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

/// Why a text without comments is no XML: elements are to nest, attributes to be quoted, and
/// markup's characters to be escaped. Empty: it is one.
std::string fault_of_xml(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = xml.starts_with("<?xml ") ? xml.find("?>") + 2 : 0;
  while (at < xml.size()) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        return "bare & before " + entity;
    }
    if (xml[at] == '>') return "bare >";
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == xml.npos) return "unfinished tag";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != tag.npos || count(tag, "\"") % 2 != 0) return "odd tag " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (name.starts_with('/')) {
      if (open.empty() || '/' + open.back() != name) return "closes another: " + name;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

AddressMap small_map() {
  const testing::ReportedLandscape world(testing::yaml_of({{"one", "10.1.0.0/24", "100.96.0.0/11"},
                                                           {"two", "10.2.0.0/24", "100.112.0.0/16"},
                                                           {"two-too", "10.3.0.0/24", "", true}}));
  return map_addresses(world, "gcp/shared-vpc");
}

TEST(OverlapSvg, TheCheckOfXmlFindsFaults) {
  for (const char* odd : {"<a><b></a></b>", "<a>", "<a x=\"1>2\"/>", "<a>b & c</a>", "<a <b/>"})
    EXPECT_NE(fault_of_xml(odd), "") << odd;
}

TEST(OverlapSvg, HasABarForEachRangeAndABandForEachPiece) {
  const AddressMap map = small_map();
  std::size_t ranges = 0;
  for (const AddressMap::Row& row : map.rows)
    ranges += row.ranges.size();
  const std::string svg = draw_map(map);
  EXPECT_EQ(fault_of_xml(svg), "");
  EXPECT_EQ(count(svg, "<g class=\"bar\">"), ranges);
  EXPECT_EQ(count(svg, "<text class=\"owner\""), map.rows.size());
  ASSERT_EQ(map.intersections.size(), 2u);
  EXPECT_EQ(count(svg, "<g class=\"intersection error\"><title>100.112.0.0/16"), 1u);
  EXPECT_EQ(count(svg, "<g class=\"intersection warning\"><title>100.96.0.0/11"), 1u);
  EXPECT_EQ(count(svg, "class=\"overlap error\""), 2u);  // Routed shoots have the /16, …
  EXPECT_EQ(count(svg, "class=\"overlap warning\""),
            1u + 2u);  // … one with an overlay, too; the /11.
  EXPECT_THAT(svg, HasSubstr("class=\"pods overlay\""));
  EXPECT_THAT(svg, HasSubstr("100.96.0.0/11 (assumed)"));
  EXPECT_THAT(svg, HasSubstr("garden-dev/one: pods 100.96.0.0/11, routed\nx.yaml:"));
  EXPECT_THAT(svg, Not(HasSubstr("IPv6</text>")));
}

TEST(OverlapSvg, NamesCannotBreakIt) {
  AddressMap map = small_map();
  map.domain = "a\"<b>&";
  map.rows[0].owner = "<script>alert(1)</script>\x01\xff";
  const std::string svg = draw_map(map);
  EXPECT_EQ(fault_of_xml(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("Addresses of a&quot;&lt;b&gt;&amp;"));
}

TEST(OverlapSvg, DrawsIpv6ByItself) {
  AddressMap map = small_map();
  map.rows[1].ranges.push_back({.cidr = IpPrefix::parse("fd00:10:96::/56").value(),
                                .dataplane_mode = DataplaneMode::Routed});
  map.rows[1].pod_cidrs = {IpPrefix::parse("fd00:10:96:3::/64").value(),
                           IpPrefix::parse("100.112.5.0/24").value(),
                           IpPrefix::parse("192.168.0.0/24").value()};
  const std::string svg = draw_map(map);
  EXPECT_EQ(fault_of_xml(svg), "");
  EXPECT_THAT(svg, HasSubstr("IPv6</text>"));
  EXPECT_EQ(count(svg, "<text class=\"owner\""), 3u + 1u);
  EXPECT_EQ(count(svg, "pod CIDRs of nodes in use: 1<"), 2u);
}

TEST(OverlapSvg, EmptyIsAPictureToo) {
  EXPECT_EQ(fault_of_xml(draw_map({.domain = "aws/vpc-1"})), "");
}

}  // namespace overlap_svg_test
}  // namespace overlane::overlap
