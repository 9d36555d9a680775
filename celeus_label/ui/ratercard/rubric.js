// Several aspects, a row each. A number key goes to the row in turn and the turn to the next one without a score;
// Backspace takes it one back. With all rows given, the turn is the submit button's.

class Rubric {
  constructor({ rubric }, hooks) {
    this.hooks = hooks;
    this.names = rubric.map((aspect) => aspect.name);
    this.parts = rubric.map((aspect, place) => new (aspect.options ? ScoreButtons : ScoreNumber)(aspect,
      { may: hooks.may, changed: (how) => this.changed(place, how) }));
    this.rows = this.parts.map((part, place) => make("div", { class: "aspect", onfocusin: () => this.turnTo(place) },
      make("span", { class: "aspect-name", dir: "auto", "aria-hidden": "true" }, this.names[place]), part.element));
    this.element = make("div", { class: "scale rubric" }, ...this.rows);
    this.turnTo(0);
  }

  get fields() { return this.parts.flatMap((part) => part.fields); }

  // The score of each aspect, the main one first.
  get value() {
    const values = this.parts.map((part) => part.value);
    return values.includes(null) ? null : values;
  }

  get state() { return this.parts.map((part) => part.state); }

  set state(states) {
    for (const [place, part] of this.parts.entries()) part.state = states[place] ?? (part.fields.length ? "" : null);
    this.turnTo(this.open(0));
  }

  get missing() {
    const open = this.names.filter((_, place) => this.parts[place].value === null);
    return fill(words.aspects_open, { names: open.join(", ") });
  }

  mark(was) {
    for (const [place, part] of this.parts.entries()) part.mark(was?.[place]);
  }

  clear() { this.state = []; }

  // The first row from `start` on, and then from the top, that has no score; -1 if there is none.
  open(start) {
    const order = [...this.parts.keys()];
    return [...order.slice(start), ...order.slice(0, start)].find((place) => this.parts[place].value === null) ?? -1;
  }

  turnTo(place) {
    this.turn = place;
    for (const [other, row] of this.rows.entries()) row.classList.toggle("turn-now", other === place);
    this.rows[place]?.scrollIntoView({ block: "nearest" });
  }

  key(key, target) {
    if (key === "Backspace") {
      const field = this.fields.includes(target) && target.value !== "";
      if (field || this.turn === 0) return null;
      this.follow((this.turn < 0 ? this.parts.length : this.turn) - 1);
      return "chosen";
    }
    return this.turn < 0 ? null : this.parts[this.turn].key(key, target);
  }

  changed(place, how) {
    if (how === "typed") this.hooks.changed("typed");
    else {
      this.goOn(place);
      this.hooks.changed("picked");
    }
  }

  // Enter in a field: whether there is a further row to fill.
  entered() {
    if (this.turn < 0 || this.parts[this.turn].value === null) return false;
    return this.goOn(this.turn);
  }

  goOn(place) {
    const next = this.open(place + 1);
    this.follow(next);
    if (next < 0) this.hooks.complete();
    return next >= 0;
  }

  // The keyboard's focus goes along where it is in a row.
  follow(place) {
    const inside = this.element.contains(this.element.getRootNode().activeElement);
    this.turnTo(place);
    if (inside && place >= 0) (this.parts[place].field ?? this.parts[place].buttons[0]).focus();
  }
}
