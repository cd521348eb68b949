// gloss translate-file, and gloss translate --split-sentences.
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr auto kModelOfDocuments = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";

constexpr auto kMemoryFile = R"(<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en"
 datatype="plaintext"/>
<body>
<tu><tuv xml:lang="en"><seg>Ana baka.</seg></tuv><tuv xml:lang="de"><seg>Bekannt hier.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Yoze dalo emi fugo.</seg></tuv><tuv xml:lang="de"><seg>Zweiter Satz.</seg></tuv></tu>
</body>
</tmx>
)";

/// Ends a sentence at a vertical bar.
constexpr auto kBarRules = R"(<?xml version="1.0"?>
<srx xmlns="http://www.lisa.org/srx20" version="2.0">
<header segmentsubflows="yes" cascade="no"/>
<body>
<languagerules><languagerule languagerulename="bar">
<rule break="yes"><beforebreak>\|</beforebreak><afterbreak>\s</afterbreak></rule>
</languagerule></languagerules>
<maprules><languagemap languagepattern=".*" languagerulename="bar"/></maprules>
</body>
</srx>
)";

/// Returns whether the whole text matches a regular expression; its `.` matches no line end.
testing::AssertionResult matches_whole(const std::string& text, const std::string& pattern) {
  if (std::regex_match(text, std::regex(pattern))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "wanted " << pattern << "\ngot " << text;
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// A folder of documents, and an untrained model whose translations mean nothing.
class TranslateFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const { write_text(folder_ / name, text); }
  std::string read(const std::string& name) const { return read_text(folder_ / name); }

  Arguments command(const std::string& input, const std::string& output, const Arguments& more = {}) const {
    Arguments arguments = {"translate-file", "--model", model_,         "--device", "cpu",       "--threads", "1",
                           "--beam",         "1",       "--min-length", "4",        path(input), path(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// Translates a document of this name, and returns the output.
  std::string translated(const std::string& name, const std::string& text, const Arguments& more = {}) {
    write(name, text);
    const auto output = "out-" + name;
    outcome_ = run_gloss(command(name, output, more));
    EXPECT_EQ(outcome_.exit_code, 0) << outcome_.err;
    return read(output);
  }

  TemporaryFolder folder_;
  std::string model_ = kModelOfDocuments;
  Outcome outcome_;  ///< of the last translation
};

TEST_F(TranslateFileTest, TextKeepsItsLines) {
  const auto text = translated("a.txt", "  ana baka.\r\n\r\nyoze {name} emi\n12\n\tsive waxi");
  EXPECT_TRUE(matches_whole(text, "  [^ ].*\r\n\r\n.*\\{name\\}.*\n12\n\t[^\t\n]+")) << text;
  EXPECT_THAT(text, Not(HasSubstr("baka")));
  EXPECT_THAT(outcome_.err, HasSubstr("3 units, 3 sentences"));
  EXPECT_THAT(outcome_.out, IsEmpty());
}

TEST_F(TranslateFileTest, WebPagesKeepTheirMarkup) {
  const std::string before = "<!DOCTYPE html>\n<html>\n<body class=\"x\">\n<!-- ana -->\n<p id=a>",
                    after =
                        "</p>\n<script>var ana = '<p>ana</p>';</script>\n<p translate=\"no\">emi &amp; ana</p>\n"
                        "</body></html>\n";
  const auto page = translated("a.html", before + "ana <b>baka</b> dalo <img src=a.png alt='emi'> yoze." + after);
  EXPECT_TRUE(page.starts_with(before)) << page;
  EXPECT_TRUE(page.ends_with(after)) << page;
  for (const auto* tag : {"<b>", "</b>", "<img src=a.png alt='"}) EXPECT_EQ(occurrences(page, tag), 1u) << tag << page;
  EXPECT_LT(page.find("<b>"), page.find("</b>"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("baka")), Not(HasSubstr("alt='emi'"))));
}

TEST_F(TranslateFileTest, SubtitlesKeepNumbersAndTimes) {
  const auto subtitles = translated("a.srt",
                                    "1\r\n00:00:01,000 --> 00:00:02,500\r\nana baka\r\n\r\n2\r\n00:00:03,000 --> "
                                    "00:00:04,000\r\n<i>dalo</i> emi.\r\n");
  EXPECT_TRUE(matches_whole(
      subtitles, "1\r\n00:00:01,000 --> 00:00:02,500\r\n(.+\r\n)+\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n(.+\r\n)+"))
      << subtitles;
  for (const auto* tag : {"<i>", "</i>"}) EXPECT_EQ(occurrences(subtitles, tag), 1u) << subtitles;
}

TEST_F(TranslateFileTest, MessagesKeepWhatIsTranslated) {
  const std::string before =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
      "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n#. note\n#: a.c:1\n";
  const std::string after = "\n\nmsgid \"emi\"\nmsgstr \"fertig\"\n";
  const auto messages = translated("a.po", before + "msgid \"ana %s baka\"\nmsgstr \"\"" + after);
  EXPECT_TRUE(messages.starts_with(before)) << messages;
  EXPECT_TRUE(messages.ends_with(after)) << messages;
  EXPECT_TRUE(matches_whole(messages.substr(before.size(), messages.size() - before.size() - after.size()),
                            "#, fuzzy\nmsgid \"ana %s baka\"\nmsgstr \".*%s.*\""));
  EXPECT_THAT(translated("b.po", before + "msgid \"emi\"\nmsgstr \"fertig\"\n", {"--overwrite-translations"}),
              Not(HasSubstr("fertig")));
}

TEST_F(TranslateFileTest, XliffGetsTargetsWithAState) {
  const std::string before =
      "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">"
      "<file original=\"f\" source-language=\"en\" target-language=\"de\" datatype=\"plaintext\"><body>\n"
      "<trans-unit id=\"1\"><source>ana <g id=\"1\">baka</g></source>";
  const std::string after =
      "</trans-unit>\n<trans-unit id=\"2\" approved=\"yes\"><source>emi</source><target>fertig</target></trans-unit>\n"
      "</body></file></xliff>\n";
  const auto document = translated("a.xlf", before + after);
  EXPECT_TRUE(document.starts_with(before)) << document;
  EXPECT_TRUE(document.ends_with(after)) << document;
  EXPECT_TRUE(
      matches_whole(document.substr(before.size(), document.size() - before.size() - after.size()),
                    "<target state=\"needs-review-translation\"[^>]*>[^<]*<g id=\"1\">[^<]*</g>[^<]*</target>.*"));
}

TEST_F(TranslateFileTest, JsonKeepsEverythingButItsTexts) {
  EXPECT_TRUE(matches_whole(
      translated("a.json", "{\n  \"a\": \"ana baka\",\n  \"n\": 3, \"l\": [\"emi {x}\", true, null]\n}\n"),
      "\\{\n  \"a\": \"(?!ana baka).+\",\n  \"n\": 3, \"l\": \\[\".*\\{x\\}.*\", true, null\\]\n\\}\n"));
}

TEST_F(TranslateFileTest, DocumentsWithoutTextStay) {
  const std::vector<std::pair<std::string, std::string>> documents = {{"a.txt", ""},
                                                                      {"b.txt", "\r\n 12\n--\n"},
                                                                      {"a.html", "<hr><!-- ana -->\n"},
                                                                      {"a.srt", ""},
                                                                      {"a.json", "[1, {}]"}};
  for (const auto& [name, text] : documents) {
    EXPECT_EQ(translated(name, text), text) << name;
    EXPECT_THAT(outcome_.err, HasSubstr("0 units, 0 sentences"));
  }
}

TEST_F(TranslateFileTest, TheFormatMayBeGiven) {
  EXPECT_THAT(translated("page", "<p translate=no>ana</p><p>ana</p>", {"--format", "html"}),
              StartsWith("<p translate=no>ana</p><p>"));
  EXPECT_THAT(translated("page.html", "<p translate=no>ana</p>", {"--format", "txt"}), Not(HasSubstr("ana")));
}

TEST_F(TranslateFileTest, AnExistingOutputIsReplaced) {
  write("out-a.txt", "old\n");
  EXPECT_THAT(translated("a.txt", "ana\n"), Not(HasSubstr("old")));
  EXPECT_EQ(contents_of(folder_.path()).size(), 2u) << "other files are left";
}

TEST_F(TranslateFileTest, WhatCannotBeTranslatedIsRefusedAndTheOutputStays) {
  write("a.pdf", "%PDF-1.4\n");
  write("B.PDF", "%PDF-1.4\n");
  write("pdf.txt", "%PDF-1.4\n");
  write("a.md", "ana\n");
  write("a.doc", "ana");
  write("a.other", "ana");
  write("a.xml", "<data>ana</data>");
  write("a.txt", "ana\n");
  write("out", "old\n");
  std::filesystem::create_symlink(path("a.txt"), path("link.txt"));
  const std::vector<BadInput> table = {
      {"a PDF", command("a.pdf", "out"), 3, "a\\.pdf: cannot translate pdf: .*glyphs.*\\.docx"},
      {"an ending in upper case", command("B.PDF", "out"), 3, "B\\.PDF: cannot translate pdf: "},
      {"an old office file", command("a.doc", "out"), 3, "a\\.doc: cannot translate doc: save it as \\.docx first"},
      {"an unknown ending", command("a.other", "out"), 3,
       "a\\.other: .*set format to one of txt, markdown, html, .*epub"},
      {"an XML file of unknown kind", command("a.xml", "out"), 3, "a\\.xml: .*set format to one of txt, "},
      {"an unknown format", command("a.txt", "out", {"--format", "odf"}), 2, "format: wanted one of txt, .*got odf"},
      {"a missing file", command("none.txt", "out"), 2, "IN: there is no file .*none\\.txt"},
      {"a missing PDF", command("none.pdf", "out"), 2, "IN: there is no file .*none\\.pdf"},
      {"a folder", command(".", "out", {"--format", "txt"}), 2, "IN: wanted a document, got the folder "},
      {"the input as output", command("a.txt", "a.txt"), 2, "OUT .*is the same file as IN"},
      {"a link to the input as output", command("a.txt", "link.txt"), 2, "OUT .*is the same file as IN"},
      {"a missing folder", command("a.txt", "none/out.txt"), 4, "none/out\\.txt: cannot create"},
      {"a folder as output", command("a.txt", "."), 4, "cannot write"},
      {"no output", {"translate-file", "--model", model_, path("a.txt")}, 2, "OUT is required"},
      {"a missing memory", command("a.txt", "out", {"--memory", path("none")}), 2, "--memory: there is no file"},
      {"text as a memory", command("a.txt", "out", {"--memory", path("a.pdf")}), 3, "a\\.pdf: "},
      {"the memory as output", command("a.txt", "a.xml", {"--memory", path("a.xml")}), 2,
       "is the same file as --memory"},
      {"a missing glossary", command("a.txt", "out", {"--glossary", path("none")}), 2, "--glossary: there is no file"},
      {"text as a glossary", command("a.txt", "out", {"--glossary", path("a.txt")}), 3, "a\\.txt: line 1: wanted"},
      {"missing rules", command("a.txt", "out", {"--srx", path("none")}), 2, "--srx: there is no file"},
      {"sentences of Markdown", command("a.md", "out", {"--split-sentences", "line"}), 2,
       "--split-sentences: has an effect on plain text only"},
      {"a PDF with another name", command("pdf.txt", "out"), 3, "pdf\\.txt: cannot translate pdf: "},
      {"n-best lists", command("a.txt", "out", {"--n-best", "2"}), 2, "--n-best"},
      {"draws",
       {"translate-file", "--model", model_, "--sample", path("a.txt"), path("out")},
       2,
       "sample: wanted a search"},
  };
  for (const auto& bad : table) expect_outcome(bad, folder_.path());
}

TEST_F(TranslateFileTest, MessagesNameTheOptions) {
  write("a.txt", "ana\n");
  EXPECT_THAT(run_gloss(command("a.txt", "out", {"--format", "odf"})).err, StartsWith("gloss: --format: wanted"));
  EXPECT_THAT(run_gloss({"translate-file", "--model", model_, "--sample", path("a.txt"), path("out")}).err,
              StartsWith("gloss: --sample: wanted"));
}

TEST_F(TranslateFileTest, NonsenseIsRefusedOrRead) {
  std::mt19937 random(7);
  const std::string markup = "<>&\"'{}[]:;,=#%\\/-.\n\r\t  aeiou0123456789<p></p>msgid";
  for (const auto* ending : {"txt", "md", "html", "srt", "vtt", "xlf", "tmx", "po", "json", "arb", "yaml", "properties",
                             "strings", "resx", "ts", "docx", "xlsx", "odt", "epub"}) {
    const auto name = std::string("a.") + ending;
    std::string bytes, text;
    for (int i = 0; i < 500; ++i) bytes += static_cast<char>(random() % 256);
    for (int i = 0; i < 300; ++i) text += markup[random() % markup.size()];
    write("out", "old\n");
    write(name, bytes);
    expect_outcome({"bytes as " + name, command(name, "out"), 3, "a\\.\\w+: .*wanted "}, folder_.path());
    write(name, text);
    const auto outcome = run_gloss(command(name, "out"));
    EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 3)) << name << outcome.err << text;
    EXPECT_EQ(read("out") == "old\n", outcome.exit_code != 0) << name;
    std::filesystem::remove(path(name));
  }
}

TEST_F(TranslateFileTest, ACutDocumentLeavesTheOutput) {
  write("out", "old\n");
  const std::vector<std::pair<std::string, std::string>> cut = {
      {"a.po", "msgid \"ana\"\nmsgstr \"\"\n\nmsgid \"emi\n"},
      {"a.xlf", "<xliff version=\"1.2\"><file><body><trans-unit id=\"1\"><source>ana"},
      {"a.json", "{\"a\": \"ana\", \"b\": \"em"},
      {"a.txt", "ana\nemi\n\xff\n"}};
  for (const auto& [name, text] : cut) {
    write(name, text);
    expect_outcome({name, command(name, "out"), 3, "a\\.\\w+: "}, folder_.path());
  }
}

TEST_F(TranslateFileTest, ATranslationMemoryIsUsed) {
  write("m.tmx", kMemoryFile);
  const auto text = translated("a.txt", "Ana   baka. \nYoze dalo emi fugo. Ana baka. Hina\n\nYoze dalo emi hina.\n",
                               {"--memory", path("m.tmx")});
  EXPECT_TRUE(matches_whole(text, "Bekannt hier\\. \nZweiter Satz\\. Bekannt hier\\. .+\n\n.+\n")) << text;
  EXPECT_THAT(outcome_.err, AllOf(HasSubstr("80 % like \"Yoze dalo emi fugo.\": Zweiter Satz."),
                                  HasSubstr("; 1 unit from the memory")));
}

TEST_F(TranslateFileTest, WhiteSpaceAroundTextOfAMemoryStays) {
  write("m.tmx", kMemoryFile);
  EXPECT_EQ(translated("a.txt", "  Ana baka.\n", {"--memory", path("m.tmx")}), "  Bekannt hier.\n");
  EXPECT_EQ(translated("a.json", "[\" Ana baka.\\n\"]", {"--memory", path("m.tmx")}), "[\" Bekannt hier.\\n\"]");
}

// A placeholder after which the source has a period, between words.
TEST_F(TranslateFileTest, PlaceholdersAreNotGluedToWords) {
  const auto text = translated("a.txt", "ana baka {x}.\nana {x}, baka dalo\nemi {x}. yoze\n");
  EXPECT_FALSE(std::regex_search(text, std::regex("[a-z]\\{x\\}|\\{x\\}[a-z]"))) << text;
}

TEST_F(TranslateFileTest, SentencesAreCutByTheRulesOfAFile) {
  write("bar.srx", kBarRules);
  translated("a.txt", "ana baka| yoze. Emi\n", {"--srx", path("bar.srx")});
  EXPECT_THAT(outcome_.err, HasSubstr("1 unit, 2 sentences"));
  translated("a.txt", "ana baka| yoze. emi\n");
  EXPECT_THAT(outcome_.err, HasSubstr("1 unit, 1 sentence"));
}

TEST_F(TranslateFileTest, TextIsCutIntoSentencesAsOptionsSay) {
  const std::string text = "ana baka. Yoze ana\nemi dalo.\n\nfugo\n";
  const auto counts = [&](const std::string& mode) {
    const auto translation = translated("a.txt", text, {"--split-sentences", mode});
    EXPECT_TRUE(matches_whole(translation, ".+\n.+\n\n.+\n")) << translation;
    return outcome_.err;
  };
  EXPECT_THAT(counts("line"), HasSubstr("3 units, 3 sentences"));
  EXPECT_THAT(counts("paragraph"), HasSubstr("3 units, 4 sentences"));
  EXPECT_THAT(counts("wrapped"), HasSubstr("2 units, 3 sentences"));
}

TEST_F(TranslateFileTest, ASignalLeavesNoOutput) {
  std::string text = "Yoze dalo emi hina.\n";  // similar to a unit of the memory, which is shown at the start
  for (int i = 0; i < 50'000; ++i) text += "ana baka " + std::to_string(i) + " dalo emi.\n";
  write("a.txt", text);
  write("m.tmx", kMemoryFile);
  write("old.txt", "old\n");
  const auto before = contents_of(folder_.path());
  for (const auto* output : {"new.txt", "old.txt"})
    for (const int signal : {SIGINT, SIGTERM}) {
      Process process(command("a.txt", output, {"--memory", path("m.tmx")}));
      process.wait_for_error("% like");
      process.signal(signal);
      EXPECT_EQ(process.wait().exit_code, signal == SIGINT ? 130 : 143);
      EXPECT_TRUE(contents_of(folder_.path()) == before) << "the folder has changed";
    }
}

/// Glossaries, with an untrained model that translates from English into German.
class TranslateFileGlossaryTest : public TranslateFileTest {
 protected:
  TranslateFileGlossaryTest() {
    const auto trained =
        run_gloss(run_.training("model", {"--set", "training.max_steps=0", "--set", "data.source_language=en", "--set",
                                          "data.target_language=de"}));
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    model_ = run_ / "model";
  }
  std::string with_glossary(const std::string& name, const std::string& text) {
    write(name, text);
    return translated("a.txt", "bada kilo\nrato\n", {"--max-length", "30", "--glossary", path(name)});
  }

  static constexpr auto kTerms =
      "<?xml version=\"1.0\"?>\n<martif type=\"TBX\" xml:lang=\"en\"><text><body><termEntry id=\"1\">"
      "<langSet xml:lang=\"en\"><tig><term>bada</term></tig></langSet>"
      "<langSet xml:lang=\"de\"><tig><term>muna kilo</term></tig></langSet></termEntry></body></text></martif>\n";
  SmallRun run_;
};

TEST_F(TranslateFileGlossaryTest, TablesAndTbxAreRead) {
  const std::map<std::string, std::string> glossaries = {{"a.tsv", "bada\tmuna kilo\n"},
                                                         {"a.csv", "de;en\nmuna kilo;bada\n"},
                                                         {"b.csv", "en,fr,de\nbada,rato,\"muna kilo\"\n"},
                                                         {"a.tbx", kTerms}};
  for (const auto& [name, text] : glossaries) {
    const auto lines = lines_of(with_glossary(name, text));
    ASSERT_EQ(lines.size(), 2u) << name;
    EXPECT_THAT(lines[0], HasSubstr("muna kilo")) << name;
    EXPECT_THAT(lines[1], Not(HasSubstr("muna kilo"))) << name;
  }
}

TEST_F(TranslateFileGlossaryTest, EndingsMayBeInUpperCase) {
  EXPECT_THAT(with_glossary("A.CSV", "en,de\nbada,muna kilo\n"), HasSubstr("muna kilo"));
  EXPECT_THAT(with_glossary("A.TBX", kTerms), HasSubstr("muna kilo"));
}

TEST_F(TranslateFileGlossaryTest, GlossariesOfOtherLanguagesAreRefused) {
  write("a.txt", "bada\n");
  write("fr.csv", "en,fr\nbada,muna\n");
  write("long.csv", "en,de\nbada,\xe4\xb8\x80\n");
  for (const auto& bad : std::vector<BadInput>{
           {"no German", command("a.txt", "out", {"--glossary", path("fr.csv")}), 3, "fr\\.csv: .*en.*de"},
           {"a phrase that the model cannot write", command("a.txt", "out", {"--glossary", path("long.csv")}), 3,
            "wanted a phrase that this model can generate"}})
    expect_outcome(bad, folder_.path());
}

TEST_F(TranslateFileGlossaryTest, SplitLinesHaveTheSameGlossaries) {
  write("a.csv", "en,de\nbada,muna kilo\n");
  const auto outcome = run_gloss({"translate", "--model", model_, "--device", "cpu", "--max-length", "30",
                                  "--split-sentences", "paragraph", "--glossary", path("a.csv")},
                                 "bada kilo\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("muna kilo"));
}

/// gloss translate --split-sentences.
class SplitSentencesTest : public TranslateFileTest {
 protected:
  Outcome translate(const std::string& input, const Arguments& more) const {
    Arguments arguments = {"translate", "--model", model_, "--device",     "cpu", "--threads",
                           "1",         "--beam",  "1",    "--min-length", "4",   "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, input);
  }
};

TEST_F(SplitSentencesTest, LineEndsStay) {
  const std::string input = "ana baka. Yoze ana.\r\n\r\n  fugo hina\nsive waxi.  Emi\n";
  const auto paragraphs = translate(input, {"--split-sentences", "paragraph"});
  EXPECT_EQ(paragraphs.exit_code, 0) << paragraphs.err;
  EXPECT_TRUE(matches_whole(paragraphs.out, ".+\r\n\r\n  [^ ].*\n.+  .+\n"));
  EXPECT_TRUE(matches_whole(translate(input, {"--split-sentences", "wrapped"}).out, ".+\r\n\r\n  [^ ].*\n.+  .+\n"));
  EXPECT_EQ(translate("", {"--split-sentences", "wrapped"}).out, "");
}

TEST_F(SplitSentencesTest, TranslationsAreThoseOfATextFile) {
  const std::string input = "ana baka. Yoze ana. Emi\n\nfugo {name} hina\nsive waxi\n";
  for (const auto* mode : {"paragraph", "wrapped"})
    EXPECT_EQ(translate(input, {"--split-sentences", mode}).out,
              translated("a.txt", input, {"--split-sentences", mode}))
        << mode;
}

TEST_F(SplitSentencesTest, LinesAreTheDefault) {
  const std::string input = "ana baka. Yoze ana.\nemi\n";
  EXPECT_EQ(translate(input, {"--split-sentences", "line"}).out, translate(input, {}).out);
}

TEST_F(SplitSentencesTest, DetailsOfLinesAreRefused) {
  write("prefix", "ana\n");
  write("out", "old\n");
  for (const Arguments& option : {Arguments{"--n-best", "1"},
                                  {"--json-lines"},
                                  {"--alignment"},
                                  {"--replace-unknown"},
                                  {"--prefix", path("prefix")}})
    for (const auto* mode : {"paragraph", "wrapped"}) {
      Arguments arguments = {"translate", "--model", model_, "--split-sentences", mode, "--output", path("out")};
      arguments.insert(arguments.end(), option.begin(), option.end());
      expect_outcome({option[0], arguments, 2, option[0] + ": has no effect beside --split-sentences", "ana\n"},
                     folder_.path());
    }
}

TEST_F(SplitSentencesTest, DrawsAreRefused) {
  const auto outcome =
      run_gloss({"translate", "--model", model_, "--split-sentences", "paragraph", "--sample"}, "ana\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--sample: wanted a search"));
}

TEST_F(SplitSentencesTest, RulesOfAFileAreUsed) {
  write("bar.srx", kBarRules);
  const auto by_bars = translate("ana baka| yoze. emi\n", {"--split-sentences", "paragraph", "--srx", path("bar.srx")});
  EXPECT_EQ(by_bars.exit_code, 0) << by_bars.err;
  const auto alone = translate("ana baka|\nyoze. emi\n", {"--split-sentences", "paragraph"}).out;
  EXPECT_EQ(by_bars.out, lines_of(alone).at(0) + " " + lines_of(alone).at(1) + "\n");
  write("text", "no rules\n");
  for (const auto& bad :
       std::vector<BadInput>{{"missing",
                              {"translate", "--model", model_, "--split-sentences", "paragraph", "--srx", path("none")},
                              2,
                              "--srx: there is no file"},
                             {"text",
                              {"translate", "--model", model_, "--split-sentences", "paragraph", "--srx", path("text")},
                              3,
                              "text: .*wanted SRX 2\\.0"}})
    expect_outcome(bad, folder_.path());
}

TEST_F(SplitSentencesTest, RulesWithoutEffectAreRefused) {
  write("bar.srx", kBarRules);
  for (const Arguments& lines : {Arguments{}, {"--split-sentences", "line"}}) {
    Arguments arguments = lines;
    arguments.insert(arguments.end(), {"--srx", path("bar.srx")});
    const auto outcome = translate("ana\n", arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--srx: has "));
  }
}

TEST_F(SplitSentencesTest, TheOutputIsNotTheFileOfRules) {
  write("bar.srx", kBarRules);
  expect_outcome({"the rules as output",
                  {"translate", "--model", model_, "--split-sentences", "paragraph", "--srx", path("bar.srx"),
                   "--output", path("bar.srx")},
                  2,
                  "is the same file as --srx",
                  "ana\n"},
                 folder_.path());
}

}  // namespace
}  // namespace gloss
