#include "serve/http/form_data.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "serve/http/http_syntax.h"

namespace gloss {
namespace {

const std::string kType = "multipart/form-data; boundary=xyz";

TEST(PercentDecoded, RefusesFaultyEscapes) {
  EXPECT_EQ(percent_decoded("a%41%c3%A4+b"), "aA\u00e4+b");
  EXPECT_EQ(percent_decoded("a+b", true), "a b");
  for (const auto* text : {"%", "%4", "%4g", "%g4", "a%"}) EXPECT_FALSE(percent_decoded(text)) << text;
}

TEST(ReadUrlencoded, ReadsNamesAndValues) {
  const auto fields = read_urlencoded("q=a+b%26c&empty=&flag&q=d&&=x");
  ASSERT_TRUE(fields);
  ASSERT_EQ(fields->size(), 5u);
  EXPECT_EQ((*fields)[0].value, "a b&c");
  EXPECT_EQ((*fields)[1].value, "");
  EXPECT_EQ((*fields)[2].name, "flag");
  EXPECT_EQ((*fields)[3].value, "d");
  EXPECT_TRUE(read_urlencoded("")->empty());
  EXPECT_FALSE(read_urlencoded("a=%g"));
  std::string many;
  for (std::size_t i = 0; i <= kMaxFields; ++i) many += "a=b&";
  EXPECT_FALSE(read_urlencoded(many));
}

TEST(ReadMultipart, ReadsFieldsAndFiles) {
  const auto fields = read_multipart(
      "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\nb\r\n"
      "--xyz\r\ncontent-disposition: form-data; filename=\"a;b \\\"c\\\".txt\"; name=file\r\nContent-Type: "
      "text/plain\r\n\r\n"
      "--xy\r\n\r\n--xyz--\r\n",
      kType);
  ASSERT_TRUE(fields);
  ASSERT_EQ(fields->size(), 2u);
  EXPECT_EQ((*fields)[0].value, "a\r\nb");
  EXPECT_FALSE((*fields)[0].filename);
  EXPECT_EQ((*fields)[1].name, "file");
  EXPECT_EQ((*fields)[1].filename, "a;b \"c\".txt");
  EXPECT_EQ((*fields)[1].value, "--xy\r\n");
}

TEST(ReadMultipart, RefusesOtherForms) {
  const std::string head = "--xyz\r\nContent-Disposition: form-data; name=q\r\n\r\n";
  for (const std::string& body : {std::string(), std::string("--xyz"), std::string("--xyz--x").substr(0, 6), head,
                                  head + "a", head + "a\r\n--xyz", std::string("--xyz\r\n\r\na\r\n--xyz--"),
                                  std::string("--xyz\r\nContent-Disposition: form-data\r\n\r\na\r\n--xyz--")})
    EXPECT_FALSE(read_multipart(body, kType)) << body;
  for (const auto* type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"x"})
    EXPECT_FALSE(read_multipart(head + "a\r\n--xyz--", type)) << type;
}

TEST(ReadMultipart, RandomBytesAreReadOrRefused) {
  std::mt19937 random(3);
  const std::string parts[] = {"--xyz", "--", "\r\n", "Content-Disposition: form-data", "; name=", "\"", "a",
                               "=",     ";",  "\\"};
  for (int i = 0; i < 20'000; ++i) {
    std::string body;
    for (auto count = random() % 30; count > 0; --count) body += parts[random() % std::size(parts)];
    static_cast<void>(read_multipart(body, kType));
    static_cast<void>(header_parameter(body, "name"));
    static_cast<void>(read_urlencoded(body));
  }
}

}  // namespace
}  // namespace gloss
