#include "common/mapped_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, HasTheBytesOfTheFileAlsoWhenItIsReplaced) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "some text";
  const MappedFile file(open_regular_file(folder / "file")->descriptor, "file");
  EXPECT_EQ(text_of(file), "some text");
  std::ofstream(folder / "other") << "other";
  std::filesystem::rename(folder / "other", folder / "file");
  EXPECT_EQ(text_of(file), "some text");
}

TEST(MappedFileTest, MayBeEmptyAndMayMove) {
  const TemporaryFolder folder;
  std::ofstream(folder / "empty");
  EXPECT_EQ(MappedFile(open_regular_file(folder / "empty")->descriptor, "empty").bytes().size(), 0u);
  const auto memory = open_memory_file();
  ASSERT_TRUE(write_all(memory, std::as_bytes(std::span("abc", 3))));
  MappedFile first(memory, "memory"), second;
  second = std::move(first);
  EXPECT_EQ(text_of(second), "abc");
  EXPECT_EQ(text_of(MappedFile(std::move(second))), "abc");
}

TEST(MappedFileTest, WhatCannotBeMappedIsAnIoError) { EXPECT_THROW(MappedFile(Descriptor(), "nothing"), IoError); }

}  // namespace
}  // namespace gloss
