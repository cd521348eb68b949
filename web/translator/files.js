// Files: one is sent, and its translation is saved under the name that the server gives it.
(function(gloss) {
"use strict";

const {make} = gloss;

// Returns the address of a file's translation below this page, since the server may have another name for itself.
const addressOf = (url) => `download_file/${new URL(url, window.location.href).pathname.split("/").pop()}`;

// Returns "report.de.docx" for "report.docx" and "de".
function nameFor(name, target) {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.${target}${name.slice(dot)}` : `${name}.${target}`;
}

function save(content, name) {
  const link = make("a", {href: URL.createObjectURL(content), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The button that chooses a file. `formats` are the endings that the server translates, `pair` returns {source,
// target}, `say` gets the progress and `fail` a failure. Null if the server translates no files.
gloss.fileButton = ({settings, pair, say, fail}) => {
  if (!settings.filesTranslation) return null;
  let running = null;
  const translate = async (file) => {
    running = new AbortController();
    const {signal} = running;
    const {source, target} = pair();
    const body = new FormData();
    body.append("file", file);
    body.append("source", source);
    body.append("target", target);
    label("Cancel");
    say(`Translating ${file.name}…`);
    try {
      const {translatedFileUrl} = await (await gloss.send("translate_file", {body, signal})).json();
      const response = await gloss.send(addressOf(translatedFileUrl), {signal});
      save(await response.blob(), nameFor(file.name, target));
      say(`${file.name} is translated and saved.`);
    } catch (error) {
      if (error.name === "AbortError")
        say(`${file.name} is not translated.`);
      else
        fail(error, () => translate(file));
    }
    running = null;
    label("File");
  };
  const input = make("input", {
    type: "file",
    hidden: true,
    accept: (settings.supportedFilesFormat || []).join(","),
    onchange: () => {
      const [file] = input.files;
      input.value = "";
      if (file) translate(file);
    },
  });
  // Without these a browser would leave the page, and the text, for a file that is dropped on it.
  document.addEventListener(
    "dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    if (!running) translate(file);
  });
  const button =
    gloss.wideButton("file", "File", () => (running ? running.abort() : input.click()), {title: "Translate a file"});
  const label = (text) => {
    gloss.replace(button, gloss.icon(text === "File" ? "file" : "close"), make("span", null, text));
    button.setAttribute("aria-label", text === "File" ? "Translate a file" : "Cancel the translation of the file");
  };
  label("File");
  return make("span", null, button, input);
};
})((window.gloss = window.gloss || {}));
