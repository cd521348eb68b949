// Requests to the server that the page came from, by relative addresses, so that it may stand below any path. The key
// of a server that demands one lives as long as the tab.
(function(gloss) {
"use strict";

const KEY = "gloss.key";

// A request without a good answer. status 0: the server was not reached. retryAfter: seconds, or 0.
gloss.Failure = class extends Error {
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
};

// The storage of a tab is missing if the browser forbids it; then the key lives as long as the page.
let key = "";
try {
  key = window.sessionStorage.getItem(KEY) || "";
} catch (error) {
  console.info(`The key is not kept: ${error.message}`);
}
gloss.key = () => key;
gloss.setKey = (value) => {
  key = value;
  try {
    window.sessionStorage.setItem(KEY, value);
  } catch (error) {
    console.info(`The key is not kept: ${error.message}`);
  }
};

async function failureOf(response) {
  let message = `The server answered with status ${response.status}.`;
  try {
    message = (await response.json()).error || message;
  } catch {
    // Not an answer of gloss: a proxy in front of it has pages of its own.
  }
  return new gloss.Failure(response.status, message, Number(response.headers.get("Retry-After")) || 0);
}

// Sends a request: a body is FormData or becomes JSON. Returns the response. Throws Failure, and AbortError.
gloss.send = async (path, {body, headers, signal} = {}) => {
  const fields = {...headers};
  if (key) fields.Authorization = `Bearer ${key}`;
  const isForm = body instanceof FormData;
  if (body && !isForm) fields["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      body: body && !isForm ? JSON.stringify(body) : body,
      headers: fields,
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new gloss.Failure(0, "The server cannot be reached.");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
};

gloss.get = async (path) => (await gloss.send(path)).json();
gloss.post = async (path, body, signal) => (await gloss.send(path, {body, signal})).json();

// Reads an event of a stream (WHATWG HTML, section 9.2): {name, data}.
function readEvent(text) {
  const event = {name: "message", data: ""};
  for (const line of text.split("\n")) {
    if (line.startsWith("event: ")) event.name = line.slice(7);
    if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event;
}

// Sends a request whose answer is a stream of events, and passes each to take(name, data) until the last one, "done".
gloss.stream = async (path, body, signal, take) => {
  const response = await gloss.send(path, {body, signal, headers: {Accept: "text/event-stream"}});
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new gloss.Failure(0, "The connection to the server broke.");
    }
    rest += decoder.decode(part.value, {stream: !part.done});
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events.map(readEvent)) {
      const data = JSON.parse(event.data);
      if (event.name === "error") throw new gloss.Failure(data.status, data.error);
      take(event.name, data);
      if (event.name === "done") return;
    }
    if (part.done) throw new gloss.Failure(0, "The server ended before the translation did.");
  }
};
})((window.gloss = window.gloss || {}));
