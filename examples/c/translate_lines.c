/* translate_lines MODEL: translates stdin to stdout, line by line. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <gloss/gloss.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the message of an error and returns its code. */
static int failed(int code, gloss_error* error) {
  fprintf(stderr, "%s\n", gloss_error_message(error));
  gloss_error_free(error);
  return code;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fputs("usage: translate_lines MODEL < input.txt\n", stderr);
    return GLOSS_USAGE;
  }
  const char* model = argv[1];
  const char* settings = "{\"device\": \"cpu\", \"threads\": 1}";
  const char* options = "{\"deadline_ms\": 60000}";
  gloss_translator* translator;
  gloss_error* error;
  int code = gloss_load(&model, 1, settings, &translator, &error);
  if (code != GLOSS_DONE) return failed(code, error);

  char* buffer = NULL;
  size_t capacity = 0;
  while (getline(&buffer, &capacity, stdin) >= 0) {
    buffer[strcspn(buffer, "\r\n")] = '\0';
    const char* line = buffer;
    gloss_result* result;
    code = gloss_translate(translator, &line, NULL, 1, options, NULL, &result, &error);
    if (code != GLOSS_DONE) {
      failed(code, error);
      break;
    }
    const char* text = gloss_result_text(result, 0, NULL);
    puts(text != NULL ? text : "(out of time)");
    gloss_result_free(result);
  }
  free(buffer);
  gloss_translator_free(translator);
  return code;
}
