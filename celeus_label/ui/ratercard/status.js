// What the card says of itself: the last thing done, the lease's time, the rater's own numbers, the page at the end.

const LEASE_SHORT_S = 60;
const HINT_MS = 2500;

// A rating as its rater gave it: a number as the server wrote it, or a verdict in the rater's language.
function given(value) { return words[`verdict_${value}`] ?? value; }

function savedText(saved) {
  if (saved.kind === "passed") return words.passed;
  return `${fill(words[saved.kind], { time: clock(saved.at) })} · ${given(saved.value)}`;
}

// A notice is a sentence of the server's, or the name of one of the card's own.
function noticeText(notice) { return words[notice] ?? notice; }

class Status {
  constructor() {
    this.hint = "";
    this.text = make("span", { class: "status", role: "status", "aria-live": "polite" });
    this.lease = make("span", { class: "lease" });
    this.element = make("span", { class: "said" }, this.lease, this.text);
  }

  draw({ saved, notice }) {
    this.data = { saved, notice };
    let text = "";
    let kind = "";
    if (this.hint) { text = this.hint; kind = "hint"; }
    else if (notice) { text = noticeText(notice); kind = "notice"; }
    else if (saved) { text = savedText(saved); kind = "saved"; }
    this.text.className = `status ${kind}`;
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  say(hint) {
    this.hint = hint;
    this.draw(this.data);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.hint = ""; this.draw(this.data); }, HINT_MS);
  }

  drawLease(left) {
    this.lease.textContent = left === null || left > LEASE_SHORT_S ? ""
      : left > 0 ? fill(words.lease, { time: countdown(left) }) : words.lease_over;
  }
}

class Own {
  constructor() {
    this.today = make("span", { class: "today" });
    this.pace = make("span", { class: "pace" });
  }

  draw(own) {
    if (!own) return;
    this.today.textContent = fill(words.today, { n: own.today });
    this.pace.textContent = own.median_ms === null ? "" : fill(words.pace, { n: own.ratings, each: duration(own.median_ms) });
  }
}

class Idle {
  constructor(openRecent) {
    this.told = make("div", { class: "idle-words", role: "status" });
    this.element = make("div", { class: "idle" }, this.told, make("div", { class: "more" }, tool("l", words.recent, openRecent)));
  }

  draw({ reason, notice, held, next_free_in: next, own, saved }, waitedS) {
    const lines = notice ? [noticeText(notice)] : [];
    if (held > 0) lines.push(next === null ? fill(words.idle_held, { n: held })
      : fill(words.idle_held_next, { n: held, time: countdown(next - waitedS) }));
    if (reason === "held by others") lines.push(words.idle_wait);
    if (own && own.ratings > 0) {
      lines.push(fill(words.idle_own, { n: own.today }));
      lines.push(fill(words.idle_all, { n: own.ratings, each: duration(own.median_ms), total: duration(own.total_ms) }));
    }
    if (["stopped", "finished", "nothing left"].includes(reason)) lines.push(words.idle_close);
    const parts = [make("h1", {}, words[`idle_${reason}`] ?? reason), ...lines.map((line) => make("p", {}, line))];
    if (saved) parts.push(make("p", { class: "status saved" }, savedText(saved)));
    const text = parts.map((part) => part.textContent).join("\n");
    if (text === this.text) return; // nothing for a screen reader to say again
    this.text = text;
    this.told.replaceChildren(...parts);
  }
}
