// A comment and a flag beside the rating; both are kept on the server as they are made.

const DRAFT_MS = 700;
const MOST_LETTERS = 5000;

class Note {
  // `keep` sends what is written to the server; it returns whether it did. `beside` is what else belongs to the draft.
  constructor(keep, beside) {
    this.keep = keep;
    this.beside = beside;
    this.flagged = false;
    this.box = make("textarea", {
      class: "note", rows: 2, maxlength: MOST_LETTERS, hidden: true, dir: "auto", "aria-label": words.note_label, placeholder: words.note_label,
      oninput: () => this.soon(), onblur: () => this.send(),
    });
    this.noteButton = tool("n", words.note, () => this.toggle());
    this.flagButton = tool("f", words.flag, () => this.toggleFlag());
    this.set({ comment: "", flag: false });
  }

  get written() { return { comment: this.box.value, flag: this.flagged }; }

  get draft() { return { ...this.written, ...this.beside() }; }

  // What the server has, or what was here before the card was drawn anew.
  set({ comment, flag }) {
    clearTimeout(this.timer);
    this.box.value = comment;
    this.show(comment !== "");
    this.showFlag(flag);
    this.kept = JSON.stringify([this.written, this.beside()]);
  }

  show(open) {
    this.box.hidden = !open;
    this.noteButton.setAttribute("aria-expanded", String(open));
  }

  showFlag(on) {
    this.flagged = on;
    this.flagButton.setAttribute("aria-pressed", String(on));
  }

  enable(on) {
    this.enabled = on;
    for (const button of [this.noteButton, this.flagButton]) button.setAttribute("aria-disabled", String(!on));
  }

  toggle() {
    if (!this.enabled) return;
    const open = this.box.hidden || this.box.value !== ""; // a note that is written stays in sight
    this.show(open);
    if (open) this.box.focus();
  }

  toggleFlag() {
    if (!this.enabled) return;
    this.showFlag(!this.flagged);
    this.send();
  }

  // Also where something else that the draft holds has changed.
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), DRAFT_MS);
  }

  send() {
    clearTimeout(this.timer);
    const now = JSON.stringify([this.written, this.beside()]);
    if (this.enabled && this.kept !== now && this.keep(this.draft)) this.kept = now;
  }
}
