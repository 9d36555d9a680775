// What is read: the prompt, and one response or two side by side.

class Reading {
  // `toggle` changes between the texts as they are and the rendered view.
  constructor({ pair }, toggle) {
    const box = (name) => make("div", { class: "text", "data-empty": words.empty, tabindex: 0, role: "region", "aria-label": name, dir: "auto" });
    this.prompt = box(words.prompt);
    this.markupButton = tool("v", words.rendered, toggle);
    const names = pair ? [words.response_1, words.response_2] : [words.response];
    this.responses = names.map(box);
    this.promptPart = make("section", { class: "prompt" }, make("h2", {}, words.prompt), this.prompt);
    const sections = this.responses.map((text, place) => make("section", { class: "response" },
      make("div", { class: "line" }, make("h2", {}, names[place]), place === names.length - 1 ? this.markupButton : ""), text));
    this.element = make("div", { class: pair ? "texts pair" : "texts" }, this.promptPart,
      pair ? make("div", { class: "sides" }, ...sections) : sections[0]);
  }

  show({ prompt, response, right }, asMarkup) {
    showText(this.prompt, prompt, asMarkup);
    this.promptPart.hidden = prompt === "";
    for (const [place, text] of this.responses.entries()) showText(text, [response, right][place], asMarkup);
    this.markupButton.setAttribute("aria-pressed", String(asMarkup));
  }

  toTop() {
    for (const text of [this.prompt, ...this.responses, this.element]) text.scrollTop = 0;
  }

  // The text is where reading goes on, and a key pressed by mistake does nothing there.
  focus() { this.responses[0].focus({ preventScroll: true }); }
}
