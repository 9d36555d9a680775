// Small tools that every part of the card uses. WORDS, all texts in every language, stands before this file.

// Storage may be forbidden; a preference is then forgotten, no more.
function remembered(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}
function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* forgotten */ }
}

function firstLanguage() {
  const wanted = [remembered("celeus.language"), navigator.language.slice(0, 2), "en"];
  return wanted.find((code) => code in WORDS);
}

let language = firstLanguage();
let words = WORDS[language];

function speak(code) {
  language = code;
  words = WORDS[code];
  remember("celeus.language", code);
}

// Nothing from the server is ever parsed as HTML: text goes in by textContent and append alone.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// A button with its key printed on it.
function tool(key, text, action) {
  return make("button", { class: "tool", type: "button", "aria-keyshortcuts": key, onclick: action },
    make("kbd", { "aria-hidden": "true" }, key.toUpperCase()), text);
}

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

function clock(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function duration(ms) {
  const seconds = ms / 1000;
  return seconds < 9.95 ? `${seconds.toFixed(1)} s` : seconds < 90 ? `${Math.round(seconds)} s` : `${countdown(seconds)} min`;
}
