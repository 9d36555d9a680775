// The rating card: one item, verbatim, and the score bar under it.
//
// Rules that keep a held key, a double click or a slow line from rating an item that was not seen:
// - keys that repeat are ignored, and so are the later clicks of a double click that began on another item;
// - an item takes no score in its first moments on the screen, nor until keys pressed then have paused (NEW_MS);
// - after a message is sent, nothing more is until the server has answered. A rating names its lease, which
//   the server takes once, so sending it again on a bad line is safe.

const NEW_MS = 300;
const RESEND_MS = 6000;
const RENEW_EVERY_MS = 30000;
const LEASE_SHORT_S = 60;
const LOOK_MS = { "held by others": 4000, default: 15000 };

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

class Card {
  constructor(parent) {
    this.parent = parent;
    this.data = null;
    this.lease = null;
    this.choice = null;
    this.busy = null;
    this.hint = "";
    this.sent = 0;
    this.atOnce = remembered("celeus.at_once") === "1";
    this.asMarkup = remembered("celeus.rendered") === "1";
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
    const first = this.data === null;
    this.data = data;
    this.received = performance.now();
    if (this.busy && data.lease === this.lease && data.answered !== this.busy.message.n) {
      // An answer to something else: this one is still to come, unless the server was started again meanwhile.
      if (data.answered === null) this.busy.at = this.received - RESEND_MS + 1000;
    } else this.busy = null;
    this.hint = "";
    const shape = JSON.stringify([data.options, data.scale, data.ends, data.mode === "idle", data.name]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.lease = null;
      this.build();
    }
    if (data.recent) this.recent.fill(data.recent);
    if (data.mode === "idle") {
      this.lease = null;
      this.drawIdle();
      return;
    }
    if (data.lease !== this.lease) {
      this.lease = data.lease;
      this.choice = null;
      this.newItem(!first);
    }
    this.drawChoice();
    this.drawStatus();
    if ((data.guidelines || data.examples.length) && remembered("celeus.guidelines") !== data.guidelines_mark) {
      remember("celeus.guidelines", data.guidelines_mark);
      this.open(this.guidelines);
    }
  }

  newItem(moveFocus) {
    for (const box of this.root.querySelectorAll("dialog[open]")) box.close();
    this.choice = null;
    this.score.clear();
    this.note.set(this.data.draft ?? { comment: "", flag: false });
    this.showItem();
    this.prompt.scrollTop = this.response.scrollTop = 0;
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

  // What depends on the item, the language and the view, and not on what the rater has done so far.
  showItem() {
    const { data } = this;
    const correcting = data.mode === "correct";
    showText(this.prompt, data.prompt, this.asMarkup);
    showText(this.response, data.response, this.asMarkup);
    this.promptPart.hidden = data.prompt === "";
    this.markupButton.setAttribute("aria-pressed", String(this.asMarkup));
    this.banner.hidden = !correcting;
    if (correcting) this.bannerText.textContent = fill(words.correcting, { value: data.was_text, time: clock(data.was_at) });
    this.note.enable(!correcting);
    for (const button of [this.undoButton, this.skipButton]) button.setAttribute("aria-disabled", String(correcting));
  }

  build() {
    this.root.replaceChildren();
    this.root.lang = language;
    const head = make("header", {},
      make("span", { class: "who" }, this.data.name),
      this.todayText = make("span", { class: "today" }),
      this.paceText = make("span", { class: "pace" }),
      make("span", { class: "spring" }),
      tool("g", words.guidelines, () => this.open(this.guidelines)),
      make("span", { class: "keys" }, tool("?", words.keys, () => this.open(this.keys))), // a phone has none
      this.languageChoice(),
      // A plain form, because only an HTTP answer can take the cookie away.
      make("form", { method: "post", action: "sign-out" }, make("button", { class: "tool", type: "submit" }, words.sign_out)),
    );
    this.guidelines = guidelinesDialog(this.data);
    this.keys = keysDialog(this.data);
    this.skip = skipDialog((reason, text) => this.pass(reason, text));
    this.recent = recentDialog((place) => this.say({ do: "fix", place }));
    const dialogs = [this.guidelines, this.keys, this.skip, this.recent];
    if (this.data.mode === "idle") {
      this.idle = make("div", { class: "idle-words", role: "status" });
      const more = make("div", { class: "more" }, tool("l", words.recent, () => this.openRecent()));
      this.root.append(head, make("div", { class: "idle" }, this.idle, more), ...dialogs);
      return;
    }
    this.banner = make("div", { class: "banner", role: "status", hidden: true },
      this.bannerText = make("span"),
      make("button", { class: "tool", type: "button", onclick: () => this.say({ do: "back" }) }, make("kbd", {}, "Esc"), words.back),
    );
    this.prompt = make("div", { class: "text", tabindex: 0, role: "region", "aria-label": words.prompt, dir: "auto" });
    this.response = make("div", { class: "text", "data-empty": words.empty, tabindex: 0, role: "region", "aria-label": words.response, dir: "auto" });
    this.markupButton = tool("v", words.rendered, () => this.toggleMarkup());
    const texts = make("div", { class: "texts" },
      this.promptPart = make("section", { class: "prompt" }, make("h2", {}, words.prompt), this.prompt),
      make("section", { class: "response" },
        make("div", { class: "line" }, make("h2", {}, words.response), this.markupButton), this.response),
    );
    this.note = new Note((written) => this.mention({ do: "draft", lease: this.lease, ...written }));
    this.submitButton = make("button", { class: "submit", type: "button", onclick: () => this.submit() }, words.submit);
    this.score = this.data.options ? new ScoreButtons(this.data, (event, value) => this.click(event, value))
      : new ScoreNumber(this.data, (value) => { this.choice = value; this.drawChoice(); });
    this.status = make("span", { class: "status", role: "status", "aria-live": "polite" });
    this.leaseText = make("span", { class: "lease" });
    const foot = make("footer", {},
      make("div", { class: "bar" }, this.score.element, this.submitButton),
      make("div", { class: "below" },
        this.undoButton = tool("u", words.undo, () => this.undo()),
        tool("l", words.recent, () => this.openRecent()),
        this.skipButton = tool("s", words.skip, () => this.openSkip()),
        this.note.noteButton,
        this.note.flagButton,
        this.data.options ? this.atOnceToggle() : "",
        make("span", { class: "said" }, this.leaseText, this.status),
      ),
    );
    this.root.append(head, this.banner, texts, this.note.box, foot, ...dialogs);
  }

  languageChoice() {
    const choice = make("select", { class: "language", "aria-label": words.language, onchange: () => this.changeLanguage(choice.value) },
      ...Object.keys(WORDS).map((code) => make("option", { value: code, "aria-label": WORDS[code].own_name }, code.toUpperCase())));
    choice.value = language;
    return choice;
  }

  // Everything is drawn anew; what the rater has chosen and written stays.
  changeLanguage(code) {
    const { choice } = this;
    const kept = this.data.mode === "idle" ? null : [this.note.written, this.score.field?.value];
    if (kept) this.note.send();
    speak(code);
    this.build();
    if (kept === null) this.drawIdle();
    else {
      this.note.set(kept[0]);
      if (this.score.field) {
        this.score.field.value = kept[1];
        this.score.typed();
      }
      this.choice = choice;
      this.showItem();
      this.drawChoice();
      this.drawStatus();
    }
    this.root.querySelector(".language").focus();
  }

  atOnceToggle() {
    const box = make("input", { type: "checkbox", onchange: () => {
      this.atOnce = box.checked;
      remember("celeus.at_once", box.checked ? "1" : "0");
    } });
    box.checked = this.atOnce;
    return make("label", { class: "at-once" }, box, words.at_once);
  }

  drawChoice() {
    this.score.show(this.choice, this.data.mode === "correct" ? this.data.was : undefined);
    // Not `disabled`: the button would lose its focus, and with it the keyboard's place.
    this.submitButton.setAttribute("aria-disabled", String(this.choice === null || this.busy !== null));
    this.root.classList.toggle("busy", this.busy !== null);
  }

  savedText() {
    const { saved } = this.data;
    if (saved.kind === "passed") return words.passed;
    return `${fill(words[saved.kind], { time: clock(saved.at) })} · ${saved.value}`;
  }

  drawStatus() {
    const { saved, notice } = this.data;
    let text = "";
    let kind = "";
    if (this.hint) { text = this.hint; kind = "hint"; }
    else if (notice) { text = words[notice] ?? notice; kind = "notice"; }
    else if (saved) { text = this.savedText(); kind = "saved"; }
    this.status.className = `status ${kind}`;
    if (this.status.textContent !== text) this.status.textContent = text;
    this.drawOwn();
    this.drawLease();
  }

  drawOwn() {
    const { own } = this.data;
    if (!own) return;
    this.todayText.textContent = fill(words.today, { n: own.today });
    this.paceText.textContent = own.median_ms === null ? "" : fill(words.pace, { n: own.ratings, each: duration(own.median_ms) });
  }

  drawLease() {
    const left = this.leaseLeft();
    if (!this.leaseText) return;
    this.leaseText.textContent = left === null || left > LEASE_SHORT_S ? ""
      : left > 0 ? fill(words.lease, { time: countdown(left) }) : words.lease_over;
  }

  leaseLeft() {
    if (this.data.mode !== "rate") return null;
    return this.data.expires_in - (performance.now() - this.received) / 1000;
  }

  drawIdle() {
    const { reason, notice, held, next_free_in: next, own, saved } = this.data;
    const lines = notice ? [words[notice] ?? notice] : [];
    const waiting = (performance.now() - this.received) / 1000;
    if (held > 0) lines.push(next === null ? fill(words.idle_held, { n: held })
      : fill(words.idle_held_next, { n: held, time: countdown(next - waiting) }));
    if (reason === "held by others") lines.push(words.idle_wait);
    if (own && own.ratings > 0) {
      lines.push(fill(words.idle_own, { n: own.today }));
      lines.push(fill(words.idle_all, { n: own.ratings, each: duration(own.median_ms), total: duration(own.total_ms) }));
    }
    if (reason === "stopped" || reason === "nothing left") lines.push(words.idle_close);
    const parts = [make("h1", {}, words[`idle_${reason}`] ?? reason), ...lines.map((line) => make("p", {}, line))];
    if (saved) parts.push(make("p", { class: "status saved" }, this.savedText()));
    const text = parts.map((part) => part.textContent).join("\n");
    if (text === this.idleText && this.idle.childElementCount) return; // nothing for a screen reader to say again
    this.idleText = text;
    this.idle.replaceChildren(...parts);
    this.drawOwn();
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
      if (this.data.mode !== "idle") this.say_hint(words.still_saving);
      this.transmit(this.busy.message);
    }
    if (this.data.mode === "idle") {
      this.drawIdle();
      const pause = LOOK_MS[this.data.reason] ?? LOOK_MS.default;
      const dialogOpen = this.root.querySelector("dialog[open]") !== null;
      if (!this.busy && !dialogOpen && document.visibilityState === "visible" && now - this.received > pause) this.say({ do: "look" });
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
    this.mention({ do: "renew", lease: this.lease });
  }

  // ---- acting

  say(message) {
    if (this.busy) return;
    message.n = ++this.sent;
    this.busy = { message, at: performance.now() };
    if (this.data.mode !== "idle") this.drawChoice();
    this.transmit(message);
  }

  // Something that nobody waits for: a rating may follow at once.
  mention(message) {
    if (this.busy) return false;
    this.transmit({ ...message, n: ++this.sent });
    return true;
  }

  tooNew() {
    if (this.busy) return true;
    const now = performance.now();
    if (now - this.shownAt >= NEW_MS) return false;
    this.shownAt = Math.max(now, this.shownAt); // hammering on never gets through: it takes a pause
    this.say_hint(words.too_fast);
    return true;
  }

  choose(value) {
    if (this.tooNew()) return;
    if (this.choice === value) { this.submit(); return; }
    this.choice = value;
    this.drawChoice();
    if (this.atOnce) this.submit();
  }

  click(event, value) {
    if (event.detail <= 1) this.clicked = this.lease;
    else if (this.clicked !== this.lease) return; // a double click that began on the item before
    this.choose(value);
  }

  submit() {
    if (this.tooNew()) return;
    if (this.choice === null) { this.say_hint(this.score.missing); return; }
    this.count();
    const score = { lease: this.lease, score: this.choice };
    if (this.data.mode === "correct") this.say({ do: "correct", ...score });
    else this.say({ do: "rate", ...score, dwell_ms: Math.round(this.seen), ...this.note.written });
  }

  pass(reason, text) {
    const { lease } = this;
    this.say(reason === "later" ? { do: "later", lease } : { do: "unratable", lease, reason, text });
  }

  undo() {
    if (this.data.mode !== "correct") this.say({ do: "undo" });
  }

  open(box) {
    if (!box.open) box.showModal();
  }

  openSkip() {
    if (this.data.mode !== "rate" || this.tooNew()) return;
    this.skip.clear();
    this.open(this.skip);
  }

  openRecent() {
    if (this.busy) return;
    this.recent.fill(null);
    this.open(this.recent);
    this.mention({ do: "recent" });
  }

  toggleMarkup() {
    this.asMarkup = !this.asMarkup;
    remember("celeus.rendered", this.asMarkup ? "1" : "0");
    this.showItem();
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
    const idle = this.data.mode === "idle";
    const field = idle ? null : this.score.field ?? null;
    const open = this.root.querySelector("dialog[open]");
    const enter = event.key === "Enter" && (event.ctrlKey || event.metaKey || (field !== null && target === field));
    if (!idle && target === this.note.box && !event.altKey) {
      if (enter) { event.preventDefault(); this.submit(); }
      else if (event.key === "Escape") this.response.focus({ preventScroll: true });
      return;
    }
    const typing = tag === "TEXTAREA" || tag === "SELECT" || target.isContentEditable
      || (tag === "INPUT" && !["checkbox", "range"].includes(target.type) && target !== field);
    if (typing || event.altKey) return;
    if (open) {
      const button = event.ctrlKey || event.metaKey ? null : open.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
      if (button) { event.preventDefault(); button.click(); }
      return;
    }
    if (enter && !idle) {
      event.preventDefault();
      this.submit();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const anywhere = {
      u: () => this.undo(),
      l: () => this.openRecent(),
      g: () => this.open(this.guidelines),
      "?": () => this.open(this.keys),
    };
    const onItem = {
      s: () => this.openSkip(),
      n: () => this.note.toggle(),
      f: () => this.note.toggleFlag(),
      v: () => this.toggleMarkup(),
      Escape: () => { if (this.data.mode === "correct") this.say({ do: "back" }); },
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (field && /^[0-9.,-]$/.test(key)) {
      if (target !== field) field.focus(); // the digit then lands in the field
      return;
    }
    const option = idle ? undefined : (this.data.options ?? []).find((one) => one.key === key);
    const action = anywhere[key] ?? (idle ? undefined : onItem[key]);
    if (option) { event.preventDefault(); this.choose(option.value); }
    else if (action) { event.preventDefault(); action(); }
  }
}
