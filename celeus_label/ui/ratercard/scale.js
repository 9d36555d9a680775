// The ways to give a score: a row of buttons, or a field with a slider. Neither has a value at first.
//
// Each has `value` (null as long as there is none), `state` (what is on the screen, to be put back), and `key`, which
// says whether it took a key: "chosen", or "typed" where the browser has still to put the digit into a field.
// `hooks.may(event)` is asked before anything is chosen; `hooks.changed(how)` is told "picked", "again" (the same one
// once more) or "typed".

class ScoreButtons {
  constructor({ options, ends, name }, hooks) {
    this.hooks = hooks;
    this.options = options;
    this.fields = [];
    this.value = null;
    this.buttons = options.map((option) => {
      const button = make("button", {
        class: "score", type: "button", "aria-pressed": "false", "aria-keyshortcuts": option.key,
        onclick: (event) => this.pick(option.value, event),
      }, make("span", { class: "value" }, given(option.text)));
      if (option.word) button.append(" ", make("span", { class: "word", dir: "auto" }, option.word));
      // Where the key is the score itself, the score is its badge.
      if (option.key !== option.text) button.append(make("kbd", { "aria-hidden": "true" }, option.key));
      return button;
    });
    const group = make("div", { class: "scores", role: "group", "aria-label": name ?? words.score }, ...this.buttons);
    group.style.setProperty("--n", options.length);
    if (options.some((option) => option.word)) group.classList.add("worded");
    if (options.some((option) => given(option.text) !== option.text)) group.classList.add("verdicts");
    this.element = make("div", { class: "scale" }, group);
    if (ends.length) {
      this.element.append(make("div", { class: "ends" }, make("span", { dir: "auto" }, ends[0]), make("span", { dir: "auto" }, ends[1])));
    }
    this.missing = words.choose_first;
  }

  get state() { return this.value; }

  set state(value) {
    this.value = value;
    for (const [place, option] of this.options.entries()) this.buttons[place].setAttribute("aria-pressed", String(option.value === value));
  }

  // The value before, while it is being corrected.
  mark(was) {
    for (const [place, option] of this.options.entries()) this.buttons[place].classList.toggle("was", option.value === was);
  }

  clear() { this.state = null; }

  pick(value, event) {
    if (!this.hooks.may(event)) return;
    const again = this.value === value;
    this.state = value;
    this.hooks.changed(again ? "again" : "picked");
  }

  key(key) {
    const option = this.options.find((one) => one.key === key);
    if (!option) return null;
    this.pick(option.value);
    return "chosen";
  }
}

class ScoreNumber {
  constructor({ scale, ends, name }, hooks) {
    this.scale = scale;
    this.hooks = hooks;
    const rule = fill(scale.step === null ? words.number : words.number_step, scale);
    this.missing = rule;
    const label = `${name ?? words.score}: ${rule}`;
    this.field = make("input", {
      class: "field", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label,
      placeholder: "–", oninput: () => this.typed(),
    });
    this.fields = [this.field];
    this.slider = make("input", {
      class: "slider", type: "range", min: scale.lower, max: scale.upper, step: scale.step ?? (scale.upper - scale.lower) / 1000,
      "aria-label": label,
      oninput: () => this.slid(),
      // A click on the spot where the unset thumb happens to be changes nothing for the browser, but is an answer.
      onclick: () => this.slid(),
    });
    this.element = make("div", { class: "scale" },
      make("div", { class: "numeric" }, this.field, this.slider),
      make("div", { class: "ends" }, make("span", { dir: "auto" }, ends[0] ?? scale.lower), make("span", {}, rule),
        make("span", { dir: "auto" }, ends[1] ?? scale.upper)));
    this.clear();
  }

  get state() { return this.field.value; }

  set state(text) {
    this.field.value = text;
    this.read();
  }

  mark() {}

  clear() { this.state = ""; }

  key(key, target) {
    if (!/^[0-9.,-]$/.test(key)) return null;
    if (target !== this.field) this.field.focus(); // the digit then lands in the field
    return "typed";
  }

  read() {
    const { scale } = this;
    const text = this.field.value.trim().replace(",", ".");
    const value = text === "" ? NaN : Number(text);
    const steps = scale.step === null ? 0 : (value - scale.lower) / scale.step;
    const good = Number.isFinite(value) && value >= scale.lower && value <= scale.upper && Math.abs(steps - Math.round(steps)) < 1e-6;
    this.field.setAttribute("aria-invalid", String(text !== "" && !good));
    this.slider.classList.toggle("unset", !good);
    if (good) {
      this.slider.value = value;
      this.slider.removeAttribute("aria-valuetext");
    } else this.slider.setAttribute("aria-valuetext", words.no_value);
    this.value = good ? value : null;
  }

  typed() {
    this.read();
    this.hooks.changed("typed");
  }

  slid() {
    this.field.value = String(Number(Number(this.slider.value).toPrecision(10)));
    this.read();
    this.hooks.changed("typed");
  }
}
