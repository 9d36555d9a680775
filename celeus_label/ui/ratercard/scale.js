// The ways to give a score: a row of buttons, or a field with a slider. Neither has a value at first.

class ScoreButtons {
  constructor({ options, ends }, onClick) {
    this.buttons = options.map((option) => {
      const button = make("button", {
        class: "score", type: "button", "aria-pressed": "false", "aria-keyshortcuts": option.key,
        onclick: (event) => onClick(event, option.value),
      }, make("span", { class: "value" }, option.text));
      if (option.word) button.append(" ", make("span", { class: "word", dir: "auto" }, option.word));
      // Where the key is the score itself, the score is its badge.
      if (option.key !== option.text) button.append(make("kbd", { "aria-hidden": "true" }, option.key));
      button.dataset.value = option.value;
      return button;
    });
    const group = make("div", { class: "scores", role: "group", "aria-label": words.score }, ...this.buttons);
    group.style.setProperty("--n", options.length);
    if (options.some((option) => option.word)) group.classList.add("worded");
    this.element = make("div", { class: "scale" }, group);
    if (ends.length) {
      this.element.append(make("div", { class: "ends" }, make("span", { dir: "auto" }, ends[0]), make("span", { dir: "auto" }, ends[1])));
    }
    this.missing = words.choose_first;
  }

  show(choice, was) {
    for (const button of this.buttons) {
      const value = Number(button.dataset.value);
      button.setAttribute("aria-pressed", String(value === choice));
      button.classList.toggle("was", value === was);
    }
  }

  clear() {}
}

class ScoreNumber {
  constructor({ scale, ends }, onChange) {
    this.scale = scale;
    this.onChange = onChange;
    const rule = fill(scale.step === null ? words.number : words.number_step, scale);
    this.missing = rule;
    this.field = make("input", {
      class: "field", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": `${words.score}: ${rule}`,
      placeholder: "–", oninput: () => this.typed(),
    });
    this.slider = make("input", {
      class: "slider", type: "range", min: scale.lower, max: scale.upper, step: scale.step ?? (scale.upper - scale.lower) / 1000,
      "aria-label": `${words.score}: ${rule}`,
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

  show() {}

  clear() {
    this.field.value = "";
    this.field.setAttribute("aria-invalid", "false");
    this.slider.classList.add("unset");
    this.slider.setAttribute("aria-valuetext", words.no_value);
  }

  typed() {
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
    this.onChange(good ? value : null);
  }

  slid() {
    const value = Number(Number(this.slider.value).toPrecision(10));
    this.slider.classList.remove("unset");
    this.slider.removeAttribute("aria-valuetext");
    this.field.value = String(value);
    this.field.setAttribute("aria-invalid", "false");
    this.onChange(value);
  }
}
