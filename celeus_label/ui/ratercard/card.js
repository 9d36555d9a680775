// The rating card: one item, verbatim, and the score bar under it.
//
// Rules that keep a held key, a double click or a slow line from rating an item that was not seen:
// - keys that repeat are ignored, and so are the later clicks of a double click that began on another item;
// - an item takes no score in its first moments on the screen (NEW_MS);
// - after a message is sent, nothing more is until the server has answered. A rating names its lease, which
//   the server takes once, so sending it again on a bad line is safe.
// Nothing from the server is ever parsed as HTML: text goes in by textContent alone.

const NEW_MS = 300;
const RESEND_MS = 6000;
const RENEW_EVERY_MS = 30000;
const LEASE_SHORT_S = 60;
const LOOK_MS = { "held by others": 4000, default: 15000 };
const REASONS = ["empty", "language", "context", "unsafe", "other"];

const cards = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let card = cards.get(parentElement);
  if (!card) {
    card = new Card(parentElement);
    cards.set(parentElement, card);
  }
  card.transmit = (message) => setTriggerValue("act", message);
  card.draw(data);
  return () => {
    card.remove();
    cards.delete(parentElement);
  };
}

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

// Storage may be forbidden; a preference is then forgotten, no more.
function remembered(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}
function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* forgotten */ }
}

class Card {
  constructor(parent) {
    this.parent = parent;
    this.data = null;
    this.lease = null;
    this.choice = null;
    this.busy = null;
    this.hint = "";
    this.atOnce = remembered("celeus.at_once") === "1";
    this.root = make("div", { class: "card" });
    parent.append(this.root);
    this.onKey = (event) => this.key(event);
    this.onVisible = () => this.count();
    this.onActive = () => this.renew();
    document.addEventListener("keydown", this.onKey, true);
    document.addEventListener("visibilitychange", this.onVisible);
    for (const kind of ["pointerdown", "keydown", "wheel"]) document.addEventListener(kind, this.onActive, { passive: true });
    this.timer = setInterval(() => this.tick(), 1000);
  }

  remove() {
    document.removeEventListener("keydown", this.onKey, true);
    document.removeEventListener("visibilitychange", this.onVisible);
    for (const kind of ["pointerdown", "keydown", "wheel"]) document.removeEventListener(kind, this.onActive);
    clearInterval(this.timer);
    this.root.remove();
  }

  // ---- drawing

  draw(data) {
    if (this.data && data.turn === this.data.turn) return; // only the theme changed
    const before = this.data;
    this.data = data;
    this.received = performance.now();
    // An answer to something else (a server started again draws the same item anew): the rating is still to come.
    const lost = this.busy?.message.do === "rate" && this.busy.message.lease === data.lease && !data.notice;
    if (lost) this.busy.at = this.received - RESEND_MS + 1000;
    else this.busy = null;
    this.hint = "";
    const shape = JSON.stringify([data.options, data.scale, data.ends, data.words, data.mode === "idle", data.name]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    if (data.mode === "idle") {
      this.lease = null;
      this.drawIdle();
      return;
    }
    if (data.lease !== this.lease) {
      this.lease = data.lease;
      this.choice = null;
      this.newItem(before !== null);
    }
    this.drawChoice();
    this.drawStatus();
    if (data.guidelines && remembered("celeus.guidelines") !== data.guidelines) {
      remember("celeus.guidelines", data.guidelines);
      this.open(this.guidelines);
    }
  }

  newItem(moveFocus) {
    const { data } = this;
    this.prompt.textContent = data.prompt;
    this.response.textContent = data.response;
    this.promptPart.hidden = data.prompt === "";
    this.prompt.scrollTop = this.response.scrollTop = 0;
    this.root.classList.toggle("correcting", data.mode === "correct");
    this.banner.hidden = data.mode !== "correct";
    for (const button of [this.undoButton, this.skipButton]) button.setAttribute("aria-disabled", String(data.mode === "correct"));
    if (data.mode === "correct") this.bannerText.textContent = fill(data.words.correcting, { value: data.was_text });
    if (this.field) {
      this.field.value = "";
      this.slider.classList.add("unset");
      this.slider.setAttribute("aria-valuetext", data.words.no_value);
    }
    for (const dialog of this.root.querySelectorAll("dialog[open]")) dialog.close();
    this.seen = 0;
    this.since = null;
    this.shownAt = Infinity;
    requestAnimationFrame(() => {
      this.shownAt = performance.now();
      this.count();
    });
    // The text is where reading goes on, and a key pressed by mistake does nothing there.
    if (moveFocus) this.response.focus({ preventScroll: true });
  }

  build() {
    const { words, options, ends } = this.data;
    this.root.replaceChildren();
    this.who = make("span", { class: "who" }, this.data.name);
    const head = make("header", {},
      this.who,
      this.todayText = make("span", { class: "today" }),
      make("span", { class: "spring" }),
      this.tool("g", words.guidelines, () => this.open(this.guidelines)),
      this.tool("?", words.keys, () => this.open(this.keys)),
      // A plain form, because only an HTTP answer can take the cookie away.
      make("form", { method: "post", action: "sign-out" }, make("button", { class: "tool", type: "submit" }, words.sign_out)),
    );
    if (this.data.mode === "idle") {
      this.idle = make("main", { class: "idle", role: "status" });
      this.root.append(head, this.idle, ...this.dialogs());
      return;
    }
    this.banner = make("div", { class: "banner", role: "status", hidden: true },
      this.bannerText = make("span"),
      make("button", { class: "tool", type: "button", onclick: () => this.say({ do: "back" }) }, make("kbd", {}, "Esc"), words.back),
    );
    this.prompt = make("div", { class: "text", tabindex: 0, role: "region", "aria-label": words.prompt, dir: "auto" });
    this.response = make("div", { class: "text", "data-empty": words.empty, tabindex: 0, role: "region", "aria-label": words.response, dir: "auto" });
    const texts = make("main", {},
      this.promptPart = make("section", { class: "prompt" }, make("h2", {}, words.prompt), this.prompt),
      make("section", { class: "response" }, make("h2", {}, words.response), this.response),
    );
    this.submitButton = make("button", { class: "submit", type: "button", onclick: () => this.submit() }, words.submit);
    const bar = options ? this.buttons(options, ends) : this.numeric();
    this.status = make("span", { class: "status", role: "status", "aria-live": "polite" });
    this.leaseText = make("span", { class: "lease" });
    const foot = make("footer", {},
      make("div", { class: "bar" }, bar, this.submitButton),
      make("div", { class: "below" },
        this.undoButton = this.tool("u", words.undo, () => this.undo()),
        this.skipButton = this.tool("s", words.skip, () => this.openSkip()),
        options ? this.atOnceToggle() : "",
        make("span", { class: "said" }, this.leaseText, this.status),
      ),
    );
    this.root.append(head, this.banner, texts, foot, ...this.dialogs());
  }

  tool(key, text, action) {
    return make("button", { class: "tool", type: "button", "aria-keyshortcuts": key, onclick: action },
      make("kbd", { "aria-hidden": "true" }, key.toUpperCase()), text);
  }

  atOnceToggle() {
    const box = make("input", { type: "checkbox", onchange: () => {
      this.atOnce = box.checked;
      remember("celeus.at_once", box.checked ? "1" : "0");
    } });
    box.checked = this.atOnce;
    return make("label", { class: "at-once" }, box, this.data.words.at_once);
  }

  buttons(options, ends) {
    this.field = null;
    this.scores = options.map((option) => {
      const button = make("button", {
        class: "score", type: "button", "aria-pressed": "false", "aria-keyshortcuts": option.key,
        "aria-label": option.word ? `${option.text}, ${option.word}` : option.text,
        onclick: (event) => this.click(event, option.value),
      }, make("span", { class: "value" }, option.text));
      if (option.word) button.append(make("span", { class: "word", dir: "auto" }, option.word));
      // Where the key is the score itself, the score is its badge.
      if (option.key !== option.text) button.append(make("kbd", { "aria-hidden": "true" }, option.key));
      button.dataset.value = option.value;
      return button;
    });
    const group = make("div", { class: "scores", role: "group", "aria-label": this.data.words.score }, ...this.scores);
    group.style.setProperty("--n", options.length);
    if (options.some((option) => option.word)) group.classList.add("worded");
    const parts = [group];
    if (ends.length) parts.push(make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, ends[0]), make("span", {}, ends[1])));
    return make("div", { class: "scale" }, ...parts);
  }

  numeric() {
    const { words, scale, ends } = this.data;
    this.scores = [];
    const rule = fill(scale.step === null ? words.number : words.number_step, scale);
    this.rule = rule;
    this.field = make("input", {
      class: "field", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": `${words.score}: ${rule}`,
      placeholder: "–", oninput: () => this.typed(),
    });
    this.slider = make("input", {
      class: "slider unset", type: "range", min: scale.lower, max: scale.upper, step: scale.step ?? (scale.upper - scale.lower) / 1000,
      "aria-label": `${words.score}: ${rule}`,
      oninput: () => this.slid(),
      // A click on the spot where the unset thumb happens to be changes nothing for the browser, but is an answer.
      onclick: () => this.slid(),
    });
    const parts = [make("div", { class: "numeric" }, this.field, this.slider),
      make("div", { class: "ends" }, make("span", {}, ends[0] ?? scale.lower), make("span", {}, rule), make("span", {}, ends[1] ?? scale.upper))];
    return make("div", { class: "scale" }, ...parts);
  }

  dialogs() {
    const { words, guidelines } = this.data;
    this.guidelines = this.dialog(words.guidelines, make("div", { class: "text", dir: "auto" }, guidelines || words.no_guidelines));
    const options = this.data.options ?? [];
    const range = options.length ? `${options[0].key} … ${options[options.length - 1].key}` : "0 … 9";
    const rows = [[range, words.key_choose], ["Ctrl + Enter", words.key_submit], ["U", words.key_undo], ["S", words.key_skip],
      ["G", words.key_guidelines], ["?", words.key_list], ["Esc", words.key_back]];
    const list = make("dl", {});
    for (const [key, meaning] of rows) list.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, meaning));
    this.keys = this.dialog(words.keys_title, list);
    this.skip = this.skipDialog();
    return [this.guidelines, this.keys, this.skip];
  }

  dialog(title, ...content) {
    const { words } = this.data;
    const heading = make("h2", {}, title);
    const close = make("button", { class: "tool", type: "button", onclick: () => box.close() }, make("kbd", { "aria-hidden": "true" }, "Esc"), words.close);
    const box = make("dialog", { "aria-label": title }, make("div", { class: "title" }, heading, close), ...content);
    return box;
  }

  skipDialog() {
    const { words } = this.data;
    const choice = (key, text, action) => make("button", { class: "reason", type: "button", "data-key": key, onclick: action },
      make("kbd", { "aria-hidden": "true" }, key.toUpperCase()), text);
    const text = make("input", { type: "text", class: "reason-text", maxlength: 500, "aria-label": words.reason_text, placeholder: words.reason_text });
    this.reasonText = text;
    const send = (reason) => {
      if (reason === "other" && !text.value.trim()) { text.focus(); return; }
      this.skip.close();
      this.say({ do: "unratable", lease: this.lease, reason, text: reason === "other" ? text.value.trim() : "" });
    };
    text.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.repeat) send("other"); });
    return this.dialog(words.skip_title,
      choice("l", words.later, () => { this.skip.close(); this.say({ do: "later", lease: this.lease }); }),
      make("p", {}, words.unratable),
      ...REASONS.map((reason, place) => choice(String(place + 1), words[`reason_${reason}`], () => send(reason))),
      make("div", { class: "other" }, text, make("button", { class: "tool", type: "button", onclick: () => send("other") }, words.send)),
    );
  }

  drawChoice() {
    const { mode, was } = this.data;
    for (const button of this.scores) {
      const value = Number(button.dataset.value);
      button.setAttribute("aria-pressed", String(value === this.choice));
      button.classList.toggle("was", mode === "correct" && value === was);
    }
    // Not `disabled`: the button would lose its focus, and with it the keyboard's place.
    this.submitButton.setAttribute("aria-disabled", String(this.choice === null || this.busy !== null));
    this.root.classList.toggle("busy", this.busy !== null);
  }

  drawStatus() {
    const { words, saved, notice, today } = this.data;
    let text = "";
    let kind = "";
    if (this.hint) { text = this.hint; kind = "hint"; }
    else if (notice) { text = notice; kind = "notice"; }
    else if (saved) {
      kind = "saved";
      text = saved.kind === "passed" ? words.passed : fill(words[saved.kind], { time: clock(saved.at) });
      if (saved.value !== undefined) text += ` · ${saved.value}`;
    }
    this.status.className = `status ${kind}`;
    if (this.status.textContent !== text) this.status.textContent = text;
    if (today !== undefined) this.todayText.textContent = fill(words.today, { n: today });
    this.drawLease();
  }

  drawLease() {
    const left = this.leaseLeft();
    if (!this.leaseText) return;
    const { words } = this.data;
    this.leaseText.textContent = left === null || left > LEASE_SHORT_S ? ""
      : left > 0 ? fill(words.lease, { time: countdown(left) }) : words.lease_over;
  }

  leaseLeft() {
    if (this.data.mode !== "rate") return null;
    return this.data.expires_in - (performance.now() - this.received) / 1000;
  }

  drawIdle() {
    const { words, reason, notice, held, next_free_in: next, today, saved } = this.data;
    const lines = notice ? [notice] : [];
    const waiting = (performance.now() - this.received) / 1000;
    if (held > 0) lines.push(next === null ? fill(words.idle_held, { n: held })
      : fill(words.idle_held_next, { n: held, time: countdown(next - waiting) }));
    if (reason === "held by others") lines.push(words.idle_wait);
    if (today > 0) lines.push(fill(words.idle_own, { n: today }));
    const title = words[`idle_${reason}`] ?? reason;
    this.idle.replaceChildren(make("h1", {}, title), ...lines.map((line) => make("p", {}, line)));
    if (saved && saved.at) this.idle.append(make("p", { class: "status saved" }, fill(words[saved.kind], { time: clock(saved.at) })));
  }

  say_hint(text) {
    this.hint = text;
    this.drawStatus();
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => { this.hint = ""; if (this.data.mode !== "idle") this.drawStatus(); }, 2500);
  }

  // ---- time

  count() {
    const now = performance.now();
    if (this.since !== null && this.since !== undefined) this.seen += now - this.since;
    this.since = document.visibilityState === "visible" ? now : null;
  }

  tick() {
    if (!this.data) return;
    const now = performance.now();
    if (this.busy && now - this.busy.at > RESEND_MS) {
      this.busy.at = now;
      if (this.data.mode !== "idle") this.say_hint(this.data.words.still_saving);
      this.transmit(this.busy.message);
    }
    if (this.data.mode === "idle") {
      this.drawIdle();
      const pause = LOOK_MS[this.data.reason] ?? LOOK_MS.default;
      if (!this.busy && document.visibilityState === "visible" && now - this.received > pause) this.say({ do: "look" });
    } else this.drawLease();
  }

  renew() {
    const left = this.data && this.leaseLeft();
    if (left === null || this.busy || !this.lease) return;
    const now = performance.now();
    const lease = this.data.expires_in;
    if (left > lease / 2 && left > LEASE_SHORT_S) return;
    if (now - (this.renewed ?? -Infinity) < RENEW_EVERY_MS) return;
    this.renewed = now;
    // Not a message that anybody waits for: a rating may follow at once.
    this.transmit({ do: "renew", lease: this.lease });
  }

  // ---- acting

  say(message) {
    if (this.busy) return;
    this.busy = { message, at: performance.now() };
    if (this.data.mode !== "idle") this.drawChoice();
    this.transmit(message);
  }

  tooNew() {
    if (this.busy) return true;
    if (performance.now() - this.shownAt >= NEW_MS) return false;
    this.say_hint(this.data.words.too_fast);
    return true;
  }

  choose(value) {
    if (this.tooNew()) return;
    if (this.choice === value) { this.submit(); return; }
    this.choice = value;
    this.drawChoice();
    if (this.atOnce && !this.field) this.submit();
  }

  click(event, value) {
    if (event.detail <= 1) this.clicked = this.lease;
    else if (this.clicked !== this.lease) return; // a double click that began on the item before
    this.choose(value);
  }

  submit() {
    if (this.tooNew()) return;
    if (this.choice === null) { this.say_hint(this.field ? this.rule : this.data.words.choose_first); return; }
    this.count();
    this.say({ do: this.data.mode === "correct" ? "correct" : "rate", lease: this.lease, score: this.choice, dwell_ms: Math.round(this.seen) });
  }

  typed() {
    const { scale } = this.data;
    const text = this.field.value.trim().replace(",", ".");
    const value = text === "" ? NaN : Number(text);
    const steps = scale.step === null ? 0 : (value - scale.lower) / scale.step;
    const good = Number.isFinite(value) && value >= scale.lower && value <= scale.upper && Math.abs(steps - Math.round(steps)) < 1e-6;
    this.choice = good ? value : null;
    this.field.setAttribute("aria-invalid", String(text !== "" && !good));
    this.slider.classList.toggle("unset", !good);
    if (good) this.slider.value = value;
    this.drawChoice();
  }

  slid() {
    const value = Number(this.slider.value);
    this.slider.classList.remove("unset");
    this.slider.removeAttribute("aria-valuetext");
    this.choice = value;
    this.field.value = String(Number(value.toPrecision(10)));
    this.field.setAttribute("aria-invalid", "false");
    this.drawChoice();
  }

  undo() {
    if (this.data.mode === "rate") this.say({ do: "undo" });
  }

  open(dialog) {
    if (!dialog.open) dialog.showModal();
  }

  openSkip() {
    if (this.data.mode !== "rate" || this.tooNew()) return;
    this.reasonText.value = "";
    this.open(this.skip);
  }

  key(event) {
    if (!this.data || event.isComposing) return;
    const target = event.composedPath()[0];
    const tag = target.tagName;
    const onButton = tag === "BUTTON" || tag === "SUMMARY";
    if (event.repeat) {
      // A held Enter or Space on a button would click it again and again.
      if (onButton && (event.key === "Enter" || event.key === " ")) event.preventDefault();
      return;
    }
    const open = this.root.querySelector("dialog[open]");
    const typing = tag === "TEXTAREA" || tag === "SELECT" || target.isContentEditable
      || (tag === "INPUT" && !["checkbox", "range"].includes(target.type) && target !== this.field);
    if (typing || event.altKey) return;
    if (open) {
      const button = open === this.skip && !event.ctrlKey && !event.metaKey
        ? open.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`) : null;
      if (button) { event.preventDefault(); button.click(); }
      return;
    }
    if (this.data.mode === "idle") return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || target === this.field)) {
      event.preventDefault();
      this.submit();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const actions = {
      u: () => this.undo(),
      s: () => this.openSkip(),
      g: () => this.open(this.guidelines),
      "?": () => this.open(this.keys),
      Escape: () => { if (this.data.mode === "correct") this.say({ do: "back" }); },
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (this.field && /^[0-9.,-]$/.test(key)) {
      if (target !== this.field) this.field.focus(); // the digit then lands in the field
      return;
    }
    const option = (this.data.options ?? []).find((one) => one.key === key);
    if (option) { event.preventDefault(); this.choose(option.value); }
    else if (actions[key]) { event.preventDefault(); actions[key](); }
  }
}
