// The rating card: one item, verbatim, and the score bar under it.
//
// Rules that keep a held key, a double click or a slow line from rating an item that was not seen:
// - keys that repeat are ignored, and so are the later clicks of a double click that began on another item;
// - an item takes no score in its first moments on the screen, nor until keys pressed then have paused (NEW_MS);
// - while a message waits for its answer, no other is sent (line.js).

const NEW_MS = 300;
const RENEW_EVERY_MS = 30000;
const LOOK_MS = { "held by others": 4000, trouble: 4000, default: 15000 };
const ACTIVE = ["pointerdown", "keydown", "wheel"];

const cards = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let card = cards.get(parentElement);
  if (!card) {
    card = new Card(parentElement);
    cards.set(parentElement, card);
  }
  card.line.transmit = (message) => setTriggerValue("act", message);
  card.draw(data);
  return () => {
    card.remove();
    cards.delete(parentElement);
  };
}

class Card {
  constructor(parent) {
    this.data = null;
    this.lease = null;
    this.line = new Line(() => this.drawSubmit());
    this.own = new Own();
    this.atOnce = remembered("celeus.at_once") === "1";
    this.asMarkup = remembered("celeus.rendered") === "1";
    this.root = make("div", { class: "card" });
    parent.append(this.root);
    this.onKey = (event) => keyPressed(this, event);
    this.onVisible = () => this.count();
    this.onActive = () => this.renew();
    document.addEventListener("keydown", this.onKey, true);
    document.addEventListener("visibilitychange", this.onVisible);
    for (const kind of ACTIVE) document.addEventListener(kind, this.onActive, { passive: true });
    this.timer = setInterval(() => this.tick(), 1000);
  }

  remove() {
    document.removeEventListener("keydown", this.onKey, true);
    document.removeEventListener("visibilitychange", this.onVisible);
    for (const kind of ACTIVE) document.removeEventListener(kind, this.onActive);
    clearInterval(this.timer);
    this.root.remove();
  }

  // ---- drawing

  draw(data) {
    if (this.data && data.turn === this.data.turn) return; // only the theme changed
    const first = this.data === null;
    this.data = data;
    this.received = performance.now();
    this.line.heard(data, data.lease === this.lease);
    const shape = JSON.stringify([data.pair, data.rubric, data.options, data.scale, data.ends, data.mode === "idle", data.name]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.lease = null;
      this.build();
    }
    if (data.recent) this.recent.fill(data.recent);
    this.own.draw(data.own);
    if (data.mode === "idle") {
      this.lease = null;
      this.idle.draw(data, 0);
      return;
    }
    if (data.lease !== this.lease) {
      this.lease = data.lease;
      this.newItem(!first);
    }
    this.status.hint = "";
    this.drawSubmit();
    this.drawStatus();
    if ((data.guidelines || data.examples.length) && remembered("celeus.guidelines") !== data.guidelines_mark) {
      remember("celeus.guidelines", data.guidelines_mark);
      this.open(this.guidelines);
    }
  }

  newItem(moveFocus) {
    for (const box of this.root.querySelectorAll("dialog[open]")) box.close();
    this.score.clear();
    this.note.set(this.data.draft ?? { comment: "", flag: false });
    if (this.data.rubric && this.data.draft?.given) this.score.state = this.data.draft.given;
    this.showItem();
    this.reading.toTop();
    this.seen = 0;
    this.since = null;
    this.shownAt = Infinity;
    requestAnimationFrame(() => {
      this.shownAt = performance.now();
      this.count();
    });
    if (moveFocus) this.reading.focus();
  }

  // What depends on the item, the language and the view, and not on what the rater has done so far.
  showItem() {
    const { data } = this;
    const correcting = data.mode === "correct";
    this.reading.show(data, this.asMarkup);
    this.banner.hidden = !correcting;
    if (correcting) this.bannerText.textContent = fill(words.correcting, { value: given(data.was_text), time: clock(data.was_at) });
    this.score.mark(correcting ? data.was : undefined);
    this.note.enable(!correcting);
    for (const button of [this.undoButton, this.skipButton]) button.setAttribute("aria-disabled", String(correcting));
  }

  build() {
    const { data } = this;
    this.root.replaceChildren();
    this.root.lang = language;
    this.root.classList.toggle("wide", data.pair === true);
    const head = make("header", {},
      make("span", { class: "who" }, data.name),
      this.own.today,
      this.own.pace,
      make("span", { class: "spring" }),
      tool("g", words.guidelines, () => this.open(this.guidelines)),
      make("span", { class: "keys" }, tool("?", words.keys, () => this.open(this.keys))), // a phone has none
      this.languageChoice(),
      // A plain form, because only an HTTP answer can take the cookie away.
      make("form", { method: "post", action: "sign-out" }, make("button", { class: "tool", type: "submit" }, words.sign_out)),
    );
    this.guidelines = guidelinesDialog(data);
    this.keys = keysDialog(data);
    this.skip = skipDialog((reason, text) => this.pass(reason, text));
    this.recent = recentDialog((place) => this.line.say({ do: "fix", place, ...this.halfDone() }));
    const dialogs = [this.guidelines, this.keys, this.skip, this.recent];
    if (data.mode === "idle") {
      this.idle = new Idle(() => this.openRecent());
      this.root.append(head, this.idle.element, ...dialogs);
      return;
    }
    this.banner = make("div", { class: "banner", role: "status", hidden: true },
      this.bannerText = make("span"),
      make("button", { class: "tool", type: "button", onclick: () => this.leaveCorrection() }, make("kbd", {}, "Esc"), words.back),
    );
    this.reading = new Reading(data, () => this.toggleMarkup());
    this.submitButton = make("button", { class: "submit", type: "button", onclick: () => this.submit() }, words.submit);
    const hooks = { may: (event) => this.may(event), changed: (how) => this.changed(how), complete: () => this.submitButton.focus() };
    this.score = data.rubric ? new Rubric(data, hooks) : data.options ? new ScoreButtons(data, hooks) : new ScoreNumber(data, hooks);
    // of a rubric, what is given so far is kept as well
    const given = () => (data.rubric ? { given: this.score.state } : {});
    this.note = new Note((draft) => this.line.mention({ do: "draft", lease: this.lease, ...draft }), given);
    this.status = new Status();
    const foot = make("footer", {},
      make("div", { class: "bar" }, this.score.element, this.submitButton),
      make("div", { class: "below" },
        this.undoButton = tool("u", words.undo, () => this.undo()),
        tool("l", words.recent, () => this.openRecent()),
        this.skipButton = tool("s", words.skip, () => this.openSkip()),
        this.note.noteButton,
        this.note.flagButton,
        data.options || data.rubric ? this.atOnceToggle() : "",
        this.status.element,
      ),
    );
    this.root.append(head, this.banner, this.reading.element, this.note.box, foot, ...dialogs);
  }

  languageChoice() {
    const choice = make("select", { class: "language", "aria-label": words.language, onchange: () => this.changeLanguage(choice.value) },
      ...Object.keys(WORDS).map((code) => make("option", { value: code, "aria-label": WORDS[code].own_name }, code.toUpperCase())));
    choice.value = language;
    return choice;
  }

  // Everything is drawn anew; what the rater has chosen and written stays.
  changeLanguage(code) {
    const kept = this.data.mode === "idle" ? null : [this.note.written, this.score.state];
    if (kept) this.note.send();
    speak(code);
    this.build();
    this.own.draw(this.data.own);
    if (kept === null) this.idle.draw(this.data, this.waited());
    else {
      [, this.score.state] = kept;
      this.note.set(kept[0]);
      this.showItem();
      this.drawSubmit();
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

  drawSubmit() {
    if (this.data.mode === "idle") return;
    // Not `disabled`: the button would lose its focus, and with it the keyboard's place.
    this.submitButton.setAttribute("aria-disabled", String(this.score.value === null || this.line.busy));
    this.root.classList.toggle("busy", this.line.busy);
  }

  drawStatus() {
    this.status.draw(this.data);
    this.status.drawLease(this.leaseLeft());
  }

  // ---- time

  waited() { return (performance.now() - this.received) / 1000; }

  leaseLeft() { return this.data.mode === "rate" ? this.data.expires_in - this.waited() : null; }

  count() {
    const now = performance.now();
    if (this.since !== null && this.since !== undefined) this.seen += now - this.since;
    this.since = document.visibilityState === "visible" ? now : null;
  }

  tick() {
    if (!this.data) return;
    const idle = this.data.mode === "idle";
    if (this.line.again() && !idle) this.status.say(words.still_saving);
    if (!idle) {
      this.status.drawLease(this.leaseLeft());
      return;
    }
    this.idle.draw(this.data, this.waited());
    const pause = LOOK_MS[this.data.reason] ?? LOOK_MS.default;
    const dialogOpen = this.root.querySelector("dialog[open]") !== null;
    if (!dialogOpen && document.visibilityState === "visible" && 1000 * this.waited() > pause) this.line.say({ do: "look" });
  }

  renew() {
    const left = this.data && this.leaseLeft();
    if (left === null || this.line.busy || !this.lease) return;
    const now = performance.now();
    if (left > this.data.expires_in / 2 && left > LEASE_SHORT_S) return;
    if (now - (this.renewed ?? -Infinity) < RENEW_EVERY_MS) return;
    this.renewed = now;
    this.line.mention({ do: "renew", lease: this.lease });
  }

  // ---- acting

  tooNew() {
    if (this.line.busy) return true;
    const now = performance.now();
    if (now - this.shownAt >= NEW_MS) return false;
    this.shownAt = Math.max(now, this.shownAt); // hammering on never gets through: it takes a pause
    this.status.say(words.too_fast);
    return true;
  }

  // Whether a score may be chosen by a key, or by this click.
  may(event) {
    if (event !== undefined) {
      if (event.detail <= 1) this.clicked = this.lease;
      else if (this.clicked !== this.lease) return false; // a double click that began on the item before
    }
    return !this.tooNew();
  }

  changed(how) {
    this.drawSubmit();
    if (this.data.rubric) this.note.soon();
    if (how === "again" || (how === "picked" && this.atOnce && this.score.value !== null)) this.submit();
  }

  submit() {
    if (this.tooNew()) return;
    const score = this.score.value;
    if (score === null) { this.status.say(this.score.missing); return; }
    this.count();
    const said = { lease: this.lease, ...this.scores(score) };
    if (this.data.mode === "correct") this.line.say({ do: "correct", ...said });
    else this.line.say({ do: "rate", ...said, dwell_ms: Math.round(this.seen), ...this.note.written });
  }

  scores(score) {
    const { rubric } = this.data;
    if (!rubric) return { score };
    const aspects = Object.fromEntries(rubric.slice(1).map((aspect, place) => [aspect.name, score[place + 1]]));
    return { score: score[0], aspects };
  }

  // Enter in a field of the score.
  entered() { if (!this.score.entered?.()) this.submit(); }

  pass(reason, text) {
    const { lease } = this;
    this.line.say(reason === "later" ? { do: "later", lease } : { do: "unratable", lease, reason, text });
  }

  undo() { if (this.data.mode !== "correct") this.line.say({ do: "undo", ...this.halfDone() }); }

  // What is given so far goes along: the item comes back after the correction, perhaps sooner than the draft is kept.
  halfDone() { return this.data.mode === "rate" ? { half: { lease: this.lease, ...this.note.draft } } : {}; }

  leaveCorrection() { if (this.data.mode === "correct") this.line.say({ do: "back" }); }

  open(box) { if (!box.open) box.showModal(); }

  openSkip() {
    if (this.data.mode !== "rate" || this.tooNew()) return;
    this.skip.clear();
    this.open(this.skip);
  }

  openRecent() {
    if (this.line.busy) return;
    this.recent.fill(null);
    this.open(this.recent);
    this.line.mention({ do: "recent" });
  }

  toggleMarkup() {
    this.asMarkup = !this.asMarkup;
    remember("celeus.rendered", this.asMarkup ? "1" : "0");
    this.reading.show(this.data, this.asMarkup);
  }
}
