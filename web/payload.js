// The document of the page: plain JSON, or base64 of a zlib stream of [length of the JSON][JSON][bytes of the arrays].
(function(gloss) {
"use strict";

gloss.bytes = new Uint8Array(0);  // of the arrays that are stored with 8 bits a value

function fromBase64(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads the document and sets gloss.bytes.
gloss.readPayload = async (text) => {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return JSON.parse(trimmed);
  const content = await inflate(fromBase64(trimmed.replace(/\s+/g, "")));
  const length = new DataView(content.buffer, content.byteOffset).getUint32(0, true);
  gloss.bytes = content.subarray(4 + length);
  return JSON.parse(new TextDecoder().decode(content.subarray(4, 4 + length)));
};
})((window.gloss = window.gloss || {}));
