#!/usr/bin/env python3
"""python_module_test.py GLOSS: examples/python/gloss.py with the library of GLOSS_LIBRARY; GLOSS is the program."""

import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "python"))
import gloss  # noqa: E402

PROGRAM = sys.argv.pop()
MODEL = str(ROOT / "tests" / "golden" / "tiny_model.safetensors")
MODEL_OF_MANY_LANGUAGES = ROOT / "tests" / "golden" / "interop" / "huggingface_nllb"
LINES = ["ana baka dalo emi", "yoze", "", "fugo hina joka lemu mo nipa", "sive waxi yoze ana"]


class PythonModuleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.translator = gloss.Translator(MODEL, device="cpu", threads=1, alignment=True)

    def texts(self, lines, **options):
        return [translation.text for translation in self.translator.translate(lines, **options)]

    def test_one_translation_for_each_line_with_its_details(self):
        translations = self.translator.translate(LINES, beam_size=3, n_best=2, alignment=True, confidence=True)
        self.assertEqual([each.source for each in translations], LINES)
        for line, translation in zip(LINES, translations):
            self.assertEqual(translation.status, "complete")
            self.assertEqual(len(translation.candidates), 2 if line else 1)
            self.assertEqual(translation.text, translation.candidates[0].text)
            for candidate in translation.candidates:
                self.assertEqual(len(candidate.spans), len(candidate.pieces))
                self.assertEqual(len(candidate.token_log_probabilities), len(candidate.pieces) + bool(candidate.ended))
        self.assertEqual(self.translator.translate([]), [])

    def test_an_ensemble_and_settings(self):
        both = gloss.Translator(MODEL, pathlib.Path(MODEL), device="cpu", plain=True)
        self.assertEqual([each.text for each in both.translate(LINES)], self.texts(LINES))

    def test_errors_have_the_class_and_the_code_of_their_kind(self):
        with self.assertRaisesRegex(gloss.UsageError, "beam: unknown key") as raised:
            self.translator.translate(LINES, beam=1)
        self.assertEqual(raised.exception.code, 2)
        with self.assertRaisesRegex(gloss.UsageError, "device: wanted a string, got 7"):
            gloss.Translator(MODEL, device=7)
        with self.assertRaisesRegex(gloss.UsageError, "no_such_model"):
            gloss.Translator("no_such_model")
        with self.assertRaises(gloss.DataError) as raised:
            gloss.Translator(__file__)
        self.assertEqual(raised.exception.code, 3)
        with self.assertRaises(UnicodeEncodeError):
            self.translator.translate(["ana \ud800"])
        with self.assertRaises(ValueError):
            self.translator.translate(LINES, length_penalty=float("nan"))
        with self.assertRaises(ValueError):
            gloss.Translator("a\0b")
        for bad in ("ana", None, 7):
            with self.assertRaisesRegex(TypeError, "lines: wanted a list of strings, got "):
                self.translator.translate(bad)
        for bad in (b"ana", None, 7):
            with self.assertRaisesRegex(TypeError, r"lines\[1\]: wanted a string, got "):
                self.translator.translate(["ana", bad])
            for call in (self.translator.translate_text, gloss.split_sentences):
                with self.assertRaisesRegex(TypeError, "text: wanted a string, got "):
                    call(bad)

    def test_tokens_and_lines_are_streamed(self):
        tokens, lines = [], []
        options = {"beam_size": 1, "min_length": 5}
        translations = self.translator.translate(LINES, on_token=tokens.append, on_result=lines.append, **options)
        for index, translation in enumerate(translations):
            pieces = [token["piece"] for token in tokens if token["line"] == index and not token["end"]]
            self.assertEqual(pieces, translation.candidates[0].pieces)
        self.assertEqual(sorted(event["line"] for event in lines), list(range(len(LINES))))

    def test_false_cancels_and_an_exception_leaves_the_call(self):
        stopped = self.translator.translate(LINES, min_length=5, beam_size=1, on_token=lambda token: False)
        self.assertEqual([each.status for each in stopped], ["cancelled"] * 2 + ["complete"] + ["cancelled"] * 2)
        self.assertEqual(stopped[0].candidates, [])
        self.assertEqual(stopped[0].text, "")
        mine = KeyError("mine")

        def fail(_event):
            raise mine

        with self.assertRaises(KeyError) as raised:
            self.translator.translate(LINES, on_result=fail)
        self.assertIs(raised.exception, mine)

    def test_another_thread_cancels(self):
        control = gloss.Control(on_token=lambda token: threads[0].join())
        threads = [threading.Thread(target=control.cancel)]
        threads[0].start()
        stopped = self.translator.translate(LINES, control=control, beam_size=1, min_length=5)
        self.assertEqual(stopped[0].status, "cancelled")
        with self.assertRaises(ValueError):
            self.translator.translate(LINES, control=control, on_token=print)

    def test_a_canceled_control_serves_no_text(self):
        control = gloss.Control()
        control.cancel()
        self.assertEqual(self.translator.translate_text("ana", control=control).status, "cancelled")

    def test_a_deadline_leaves_lines(self):
        self.assertEqual({each.status for each in self.translator.translate(LINES, deadline_ms=0)}, {"deadline"})
        self.assertEqual(self.translator.translate_text("ana", search={"deadline_ms": 0}).status, "deadline")

    def test_threads_share_a_translator(self):
        wanted, found = self.texts(LINES), []
        threads = [threading.Thread(target=lambda: found.append(self.texts(LINES))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [wanted] * 4)

    def test_texts_and_files(self):
        text = "Ana baka \u2603. Yoze ana!"
        translation = self.translator.translate_text(text, search={"beam_size": 1})
        self.assertEqual(len(translation.sentences), 2)
        self.assertEqual(translation.status, "complete")
        begin, end = translation.sentences[1]["target"]
        second = self.translator.translate(["Yoze ana!"], beam_size=1)[0].text
        self.assertEqual(translation.text.encode()[begin:end].decode(), second)
        self.assertEqual(gloss.split_sentences(text, language="en"), ["Ana baka \u2603.", "Yoze ana!"])
        page = "<p translate=no>ana</p><p>ana <i>baka</i></p>"
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder) / "in.html", pathlib.Path(folder) / "out.html"
            source.write_text(page)
            self.assertEqual(self.translator.translate_file(source, target).units, 1)
            self.assertEqual(target.read_text(), self.translator.translate_text(page, format="html").text)
            with self.assertRaises(gloss.IoError):
                self.translator.translate_file(source, pathlib.Path(folder) / "none" / "out.html")

    def test_languages_select_the_translation(self):
        self.assertEqual(self.translator.languages(), [])
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model"
            subprocess.run(
                [PROGRAM, "import", MODEL_OF_MANY_LANGUAGES, "--output", model], check=True, stderr=subprocess.DEVNULL
            )
            translator = gloss.Translator(model, device="cpu")
            languages = translator.languages()
            self.assertEqual((len(languages), languages[0]), (202, "ace_Arab"))
            scores = set()
            for language in languages[:2]:
                options = {"source_language": "eng_Latn", "target_language": language, "max_length": 9}
                scores.add(translator.translate(["Hello."], **options)[0].candidates[0].score)
            self.assertEqual(len(scores), 2)

    def test_the_version_is_that_of_the_program(self):
        printed = subprocess.run([PROGRAM, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertTrue(printed.startswith(f"gloss {gloss.version()} "), printed)

    def test_a_missing_library_is_named_with_the_way_to_set_it(self):
        gloss._library.cache_clear()
        with unittest.mock.patch.dict("os.environ", GLOSS_LIBRARY="/none/libgloss.so"):
            with self.assertRaisesRegex(gloss.GlossError, "/none/libgloss.so.*GLOSS_LIBRARY.*docs/installing.md"):
                gloss.Translator(MODEL)

    def test_a_glossary_is_an_object_of_phrases(self):
        self.assertIn("nipa ratu", self.texts(LINES, glossary={"baka": "nipa ratu"})[0])

    def test_a_library_of_an_earlier_interface_is_refused(self):
        gloss._library.cache_clear()
        with unittest.mock.patch.object(gloss, "_INTERFACE_VERSION", 1000), self.assertRaises(ImportError):
            gloss.version()

    def test_a_closed_translator_is_refused_and_calls_end_first(self):
        with gloss.Translator(MODEL, device="cpu") as translator:
            translations = translator.translate(LINES, on_token=lambda token: translator.close())
            self.assertEqual([each.text for each in translations], self.texts(LINES))
        for call in (lambda: translator.translate(LINES), translator.languages, lambda: translator.translate_text("a")):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
