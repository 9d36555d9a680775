// The line to the server. After a message is sent, nothing more is until the server has answered. A rating names
// its lease, which the server takes once, so sending it again on a bad line is safe.

const RESEND_MS = 6000;

class Line {
  constructor(onBusy) {
    this.onBusy = onBusy;
    this.waiting = null;
    this.sent = 0;
  }

  get busy() { return this.waiting !== null; }

  // What the server says may be an answer to something else: the one waited for is then still to come, unless the
  // server was started again meanwhile. A rating or a correction is then sent again, whatever item is shown by now.
  heard(data, sameItem) {
    const started = data.answered === null && ["rate", "correct"].includes(this.waiting?.message.do);
    if (this.busy && (sameItem || started) && data.answered !== this.waiting.message.n) {
      if (data.answered === null) this.waiting.at = performance.now() - RESEND_MS + 1000;
    } else this.waiting = null;
  }

  say(message) {
    if (this.busy) return;
    message.n = ++this.sent;
    this.waiting = { message, at: performance.now() };
    this.onBusy();
    this.transmit(message);
  }

  // Something that nobody waits for: a rating may follow at once.
  mention(message) {
    if (this.busy) return false;
    this.transmit({ ...message, n: ++this.sent });
    return true;
  }

  // Whether it had to be sent again.
  again() {
    const now = performance.now();
    if (!this.busy || now - this.waiting.at <= RESEND_MS) return false;
    this.waiting.at = now;
    this.transmit(this.waiting.message);
    return true;
  }
}
