// Notices of failures: a sentence, and what happens next. Screen readers read them.
(function(gloss) {
"use strict";

const {make} = gloss;

// Returns a sentence for a failure: the server's own message where it is plain enough.
function sentenceOf(failure) {
  const sentences = {
    0: `${failure.message} Is it still running?`,
    429: "Too many requests in a short time.",
    503: "The server is busy.",
    504: "The translation took too long. A shorter text may help.",
  };
  return sentences[failure.status] || failure.message.replace("Invalid request: ", "");
}

// {element, show(failure, retry), note(text, label, press), hide(), say(text, translation, language)}. A failure that
// names a time is tried again then; others have a button for it.
gloss.notices = () => {
  const text = make("span", {class: "notice-text"});
  const action = make("span", {"aria-live": "off"});  // seconds that are counted are not read
  const alert = make("div", {class: "notice", role: "alert", hidden: true}, text, action);
  const spoken = make("div", {class: "unseen", role: "status"});
  let timer = 0;

  const hide = () => {
    clearTimeout(timer);
    alert.hidden = true;
  };
  const count = (seconds, retry) => {
    if (seconds <= 0) {
      hide();
      retry();
      return;
    }
    action.textContent = ` The next try is in ${seconds} s.`;
    timer = setTimeout(() => count(seconds - 1, retry), 1000);
  };
  const show = (failure, retry) => {
    hide();
    text.textContent = sentenceOf(failure);
    gloss.replace(action);
    alert.className = "notice failure";
    alert.hidden = false;
    if (!retry) return;
    if (failure.retryAfter > 0 && (failure.status === 429 || failure.status === 503)) {
      count(failure.retryAfter, retry);
    } else if (failure.status === 0 || failure.status >= 500) {
      gloss.replace(action, gloss.button("Try again", () => {
        hide();
        retry();
      }));
    }
  };
  return {
    element: make("div", null, alert, spoken),
    show,
    note: (message, label, press) => {
      hide();
      text.textContent = message;
      gloss.replace(action, label && gloss.button(label, press));
      alert.className = "notice";
      alert.hidden = false;
    },
    hide,
    say: (message, translation, lang) => gloss.replace(spoken, message, " ", make("span", {lang}, translation)),
  };
};
})((window.gloss = window.gloss || {}));
