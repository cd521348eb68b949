/// The C interface of libgloss, for C99, C++ and languages that call C functions. It stays: functions, codes and keys
/// of JSON may be added, none is changed or removed.
///
///     gloss_error* error = NULL;
///     gloss_translator* translator = NULL;
///     gloss_result* result = NULL;
///     const char* model = "runs/en-de";
///     const char* line = "A dog sleeps.";
///     if (gloss_load(&model, 1, "{\"threads\": 2}", &translator, &error) == GLOSS_DONE &&
///         gloss_translate(translator, &line, NULL, 1, "{\"beam_size\": 1}", NULL, &result, &error) == GLOSS_DONE)
///       puts(gloss_result_text(result, 0, NULL));
///     else
///       fprintf(stderr, "%s\n", gloss_error_message(error));
///     gloss_result_free(result);
///     gloss_translator_free(translator);
///     gloss_error_free(error);
///
/// Text is UTF-8; text that is not is refused. A NUL within it is read as U+FFFD. Paths are bytes that end with NUL.
///
/// Settings and options are one JSON object, or NULL for none. Its keys are the fields of the structs of
/// gloss/translator.h, with the same defaults. An enumeration is the word of its value: "precision" is auto, float32,
/// bfloat16, int8 or float16, "length_normalisation" power or gnmt, "split" line, paragraph or wrapped. An unknown key
/// and a value of the wrong type are errors that name the key.
///
/// Functions that can fail return a code. If it is not GLOSS_DONE, the result is NULL and *error is set. On success
/// *error is NULL. `error` itself may be NULL.
///
/// Threads may share a translator; the notes on threads, fork and CUDA of the class Translator in gloss/translator.h
/// apply. A handle is freed by one thread, after the last call that uses it. The functions that free accept NULL. No
/// C++ exception leaves a function.
#ifndef GLOSS_GLOSS_H
#define GLOSS_GLOSS_H

#include <stddef.h>

#if defined(__GNUC__)
#define GLOSS_PUBLIC __attribute__((visibility("default")))
#else
#define GLOSS_PUBLIC
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The number of this interface. It grows by 1 when something is added.
#define GLOSS_INTERFACE_VERSION 1

/// The codes that functions return. They are the exit codes of the program `gloss`.
enum {
  GLOSS_DONE = 0,
  GLOSS_FAULT = 1,         ///< a fault of gloss
  GLOSS_USAGE = 2,         ///< an invalid argument, setting or option, or a missing model file
  GLOSS_DATA = 3,          ///< a model file that is damaged, newer or no model; a document that is bad or missing
  GLOSS_IO = 4,            ///< the operating system refused to read or write
  GLOSS_OUT_OF_MEMORY = 7  ///< on the host or on the device; the translator remains usable
};

typedef struct gloss_error gloss_error;            ///< the message of a failure
typedef struct gloss_translator gloss_translator;  ///< a loaded model
typedef struct gloss_control gloss_control;        ///< callbacks and cancellation of calls
typedef struct gloss_result gloss_result;          ///< JSON text and plain texts

/// Returns the interface version of the loaded library. A program needs one of at least its GLOSS_INTERFACE_VERSION.
GLOSS_PUBLIC int gloss_interface_version(void);
/// Returns the version of the library, such as "0.1.0".
GLOSS_PUBLIC const char* gloss_version(void);

/// Returns the message of an error, one line. For NULL it is "no error".
GLOSS_PUBLIC const char* gloss_error_message(const gloss_error* error);
GLOSS_PUBLIC void gloss_error_free(gloss_error* error);

/// Loads the model files or folders of finished runs at `paths`; several are an ensemble. `settings` has the keys of
/// TranslatorSettings: device, threads, precision, alignment, plain.
GLOSS_PUBLIC int gloss_load(const char* const* paths, size_t count, const char* settings, gloss_translator** translator,
                            gloss_error** error);
GLOSS_PUBLIC void gloss_translator_free(gloss_translator* translator);

/// Translates each of `count` lines. `lengths` are their numbers of bytes; if it is NULL, lines end with NUL.
///
/// `options` has the keys of TranslationOptions, except the prepared glossary. "glossary" is an object of phrases and
/// their translations, or a list of objects with "source" and "target". In place of `deadline` there is "deadline_ms",
/// milliseconds from the beginning of the call. `control` may be NULL.
///
/// A text of the result is the best translation of a line. JSON: {"translations": [...]} with one object for each line,
/// whose keys are the fields of Translation and its parts. A span and a link are a pair of numbers. "status" is
/// complete, deadline or cancelled. A line that a deadline or a cancellation left has no text and no candidates; that
/// is no error.
GLOSS_PUBLIC int gloss_translate(const gloss_translator* translator, const char* const* lines, const size_t* lengths,
                                 size_t count, const char* options, const gloss_control* control, gloss_result** result,
                                 gloss_error** error);

/// Translates a text of `length` bytes and any number of sentences. `options` has the keys of TextOptions; the options
/// of translating its sentences, deadline_ms among them, are an object "search". Callbacks of `control` are refused.
///
/// The text of the result is the translation. JSON: the fields of TextTranslation. If "status" is not complete, there
/// is no text.
GLOSS_PUBLIC int gloss_translate_text(const gloss_translator* translator, const char* text, size_t length,
                                      const char* options, const gloss_control* control, gloss_result** result,
                                      gloss_error** error);

/// Translates a document. `output` appears complete or not at all. The result has no texts; its JSON is as above.
GLOSS_PUBLIC int gloss_translate_file(const gloss_translator* translator, const char* input, const char* output,
                                      const char* options, const gloss_control* control, gloss_result** result,
                                      gloss_error** error);

/// Lists the languages of a model of several languages, as texts and as JSON: {"languages": [...]}. A model of one
/// direction has none.
GLOSS_PUBLIC int gloss_languages(const gloss_translator* translator, gloss_result** result, gloss_error** error);

/// Finds the sentences of a text, as texts and as JSON: {"sentences": [[begin, end], ...]}, in bytes. `options` has the
/// keys "language" (BCP 47, for the abbreviations) and "split".
GLOSS_PUBLIC int gloss_split_sentences(const char* text, size_t length, const char* options, gloss_result** result,
                                       gloss_error** error);

/// Returns the JSON text of a result, in one line. Numbers read back equal; one that is not finite is null.
GLOSS_PUBLIC const char* gloss_result_json(const gloss_result* result);
/// Returns the number of texts.
GLOSS_PUBLIC size_t gloss_result_size(const gloss_result* result);
/// Returns a text, which ends with NUL and lives as long as the result, or NULL if there is none. If `length` is not
/// NULL, it is set to the number of bytes.
GLOSS_PUBLIC const char* gloss_result_text(const gloss_result* result, size_t index, size_t* length);
GLOSS_PUBLIC void gloss_result_free(gloss_result* result);

/// A function that receives tokens or lines while gloss_translate runs, on the thread that called it. It returns 0 to
/// go on and any other value to cancel the call. It may call functions of this interface.
///
/// `user` is the pointer that was set with the function, `line` the index of the line, `text` its translation so far.
/// `event` is a JSON object. `text` and `event` live until the function returns.
typedef int (*gloss_callback)(void* user, size_t line, const char* text, const char* event);

/// Returns a new control without callbacks, or NULL if there is no memory. Any number of calls may use one, also at the
/// same time.
GLOSS_PUBLIC gloss_control* gloss_control_new(void);
/// Sets the function that receives each token of the best translations; NULL removes it. The event has the fields of
/// StreamedToken. No call may use `control` meanwhile.
GLOSS_PUBLIC int gloss_control_on_token(gloss_control* control, gloss_callback callback, void* user);
/// Sets the function that receives each line as soon as it is complete; NULL removes it. The event has "line" and
/// "translation", an object as in the result of gloss_translate. No call may use `control` meanwhile.
GLOSS_PUBLIC int gloss_control_on_result(gloss_control* control, gloss_callback callback, void* user);
/// Cancels all calls that use `control`, now and later, from any thread, but not from a signal handler.
GLOSS_PUBLIC void gloss_control_cancel(gloss_control* control);
GLOSS_PUBLIC void gloss_control_free(gloss_control* control);

#ifdef __cplusplus
}
#endif

#endif
