// What opens over the card: guidelines, keys, reasons to skip, the last ratings.

const REASONS = ["empty", "language", "context", "unsafe", "other"];

function dialog(title, ...content) {
  const close = make("button", { class: "tool", type: "button", onclick: () => box.close() }, make("kbd", { "aria-hidden": "true" }, "Esc"), words.close);
  const box = make("dialog", { "aria-label": title }, make("div", { class: "title" }, make("h2", {}, title), close), ...content);
  return box;
}

function guidelinesDialog({ guidelines, examples }) {
  const text = make("div", { class: "text", dir: "auto" }, guidelines || words.no_guidelines);
  const shown = examples.map((one) => make("article", { class: "example" },
    one.prompt === "" ? "" : make("div", { class: "text", dir: "auto" }, one.prompt),
    make("div", { class: "text", dir: "auto" }, one.response),
    make("div", { class: "verdict" }, make("strong", {}, one.rating), one.why === "" ? "" : make("span", { dir: "auto" }, one.why))));
  return dialog(words.guidelines, text, shown.length ? make("h3", {}, words.examples) : "", ...shown);
}

function keysDialog({ options: single, rubric }) {
  const options = rubric ? rubric[0].options : single;
  const range = options ? `${options[0].key} … ${options[options.length - 1].key}` : "0 … 9";
  const rows = [[range, words.key_choose], ["Ctrl + Enter", rubric ? words.key_submit_all : words.key_submit], ...(rubric ? [["⌫", words.key_aspect]] : []), ["U", words.key_undo], ["L", words.key_recent], ["S", words.key_skip],
    ["N", words.key_note], ["F", words.key_flag], ["V", words.key_rendered], ["G", words.key_guidelines], ["?", words.key_list], ["Esc", words.key_back]];
  const list = make("dl", {});
  for (const [key, meaning] of rows) list.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, meaning));
  return dialog(words.keys_title, list);
}

// `send` gets the reason (or "later") and the text beside it.
function skipDialog(send) {
  const done = (reason, why = "") => {
    box.close();
    send(reason, why);
  };
  const choice = (key, text, action) => make("button", { class: "reason", type: "button", "data-key": key, onclick: action },
    make("kbd", { "aria-hidden": "true" }, key.toUpperCase()), text);
  const text = make("input", { type: "text", class: "reason-text", maxlength: 500, "aria-label": words.reason_text, placeholder: words.reason_text });
  const unratable = (reason) => {
    if (reason !== "other") done(reason);
    else if (text.value.trim()) done(reason, text.value.trim());
    else text.focus();
  };
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.repeat) unratable("other"); });
  const box = dialog(words.skip_title,
    choice("l", words.later, () => done("later")),
    make("p", {}, words.unratable),
    ...REASONS.map((reason, place) => choice(String(place + 1), words[`reason_${reason}`], () => unratable(reason))),
    make("div", { class: "other" }, text, make("button", { class: "tool", type: "button", onclick: () => unratable("other") }, words.send)),
  );
  box.clear = () => { text.value = ""; };
  return box;
}

// The last ratings, newest first; one click opens one for correction.
function recentDialog(onPick) {
  const list = make("div", { class: "recent" });
  const box = dialog(words.recent, list);
  box.fill = (rows) => {
    if (rows === null) list.replaceChildren(make("p", {}, words.loading));
    else if (!rows.length) list.replaceChildren(make("p", {}, words.no_undo));
    else {
      list.replaceChildren(...rows.map((row, place) => make("button",
        { class: "reason", type: "button", "data-key": String((place + 1) % 10), onclick: () => { box.close(); onPick(row.place); } },
        make("kbd", { "aria-hidden": "true" }, String((place + 1) % 10)),
        make("span", { class: "given" }, given(row.value)),
        make("span", { class: "start", dir: "auto" }, row.start),
        make("span", { class: "when" }, clock(row.at)))));
    }
  };
  return box;
}
