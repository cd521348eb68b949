// Dialogs: a frame for all of them, and the one that asks for a key.
(function(gloss) {
"use strict";

const {make} = gloss;

// A dialog with a title and a button that closes it. `closed` is called afterwards, however it was closed.
gloss.dialog = (title, closed, ...children) => {
  const heading = make("h2", null, title);
  const element = make("dialog", {
    "aria-label": title,
    onclose: () => {
      element.remove();
      closed();
    }
  },
    make("header", null, heading, gloss.iconButton("close", "Close", () => element.close())), children);
  element.addEventListener("click", (event) => event.target === element && element.close());  // beside it
  document.body.append(element);
  element.showModal();
  return element;
};

// Asks for the key of a server. `given` is called once there is a new one, `refused` if the dialog is closed without.
gloss.askForKey = (reason, given, refused = () => {}) => {
  if (document.querySelector("dialog")) return;
  const input = make("input", {
    type: "password",
    id: "key",
    name: "key",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  const form = make("form", {
    method: "dialog",
    onsubmit: (event) => {
      event.preventDefault();
      gloss.setKey(input.value.trim());
      closed = given;
      dialog.close();
    },
  },
    make("p", null, reason, " It is kept until this tab is closed."), make("label", {for: "key"
    }, "Key"), input, make("div", {class: "actions"}, make("button", {class: "main"}, "Use this key")));
  let closed = refused;
  const dialog = gloss.dialog("This server asks for a key", () => closed(), form);
  input.focus();
};
})((window.gloss = window.gloss || {}));
