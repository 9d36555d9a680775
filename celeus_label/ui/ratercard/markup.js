// The rendered view: headings, bold, italics, lists and code, and nothing else.
//
// Whatever is not one of these stays as it is written: no link, no image, no HTML, no mathematics, no emoji
// by name. Elements are made one by one and filled by `append`, so that a text can't bring any of its own.
// Each letter is looked at a bounded number of times and a text has at most MOST_PARTS parts, the rest of it
// being shown as it is written, so that a long hostile text can't stop the page.

const DEEPEST = 4;
const MOST_PARTS = 3000;
let partsLeft = 0;

function rendered(text) {
  const page = document.createDocumentFragment();
  let paragraph = null;
  let list = null;
  let fence = null;
  partsLeft = MOST_PARTS;
  const lines = text.split(/\r\n|\n|\r/);
  for (const [place, line] of lines.entries()) {
    if (partsLeft <= 0) {
      page.append(make("p", { dir: "auto" }, lines.slice(place).join("\n")));
      break;
    }
    if (fence) {
      const end = line.match(/^ {0,3}(`{3,}|~{3,})\s*$/);
      if (end && end[1][0] === fence.mark[0] && end[1].length >= fence.mark.length) fence = null;
      else fence.code.firstChild.appendData(`${line}\n`);
      continue;
    }
    const start = line.match(/^ {0,3}(`{3,}|~{3,})([^`]*)$/);
    if (start) {
      partsLeft -= 1;
      fence = { mark: start[1], code: make("code", {}, document.createTextNode("")) };
      page.append(make("pre", { dir: "ltr", tabindex: 0 }, fence.code));
      paragraph = list = null;
      continue;
    }
    const heading = line.match(/^ {0,3}(#{1,6}) +(\S.*)$/);
    const point = line.match(/^( *)([-*+]|\d{1,9}[.)]) +(\S.*)$/);
    if (line.trim() === "") {
      paragraph = null;
    } else if (heading) {
      // h1 and h2 are the page's own
      page.append(inline(make(`h${Math.min(heading[1].length + 2, 6)}`, { dir: "auto" }), heading[2]));
      paragraph = list = null;
    } else if (point) {
      const tag = /\d/.test(point[2]) ? "OL" : "UL";
      if (list?.tagName !== tag) page.append((list = make(tag, { dir: "auto" })));
      paragraph = inline(make("li"), point[3]);
      if (tag === "OL") paragraph.value = parseInt(point[2], 10);
      paragraph.style.setProperty("--deep", Math.min(Math.floor(point[1].length / 2), 8));
      list.append(paragraph);
    } else if (paragraph) {
      inline(paragraph, `\n${paragraph.tagName === "LI" ? line.trimStart() : line}`);
    } else {
      list = null;
      page.append(inline((paragraph = make("p", { dir: "auto" })), line));
    }
  }
  return page;
}

function inline(parent, text, deep = 0) {
  partsLeft -= 1;
  const marks = /\\[\\`*_]|`+|\*\*|__|\*|_/g;
  const unclosed = new Set(); // marks that no later place of this text closes
  let plain = 0;
  for (let found = marks.exec(text); found && partsLeft > 0; found = marks.exec(text)) {
    const mark = found[0];
    const from = found.index + mark.length;
    if (mark[0] === "\\" || deep >= DEEPEST || unclosed.has(mark)) continue;
    if (mark[0] !== "`") {
      if (/\s|^$/.test(text.charAt(from))) continue;
      if (mark[0] === "_" && /[\p{L}\p{N}]/u.test(text.charAt(found.index - 1))) continue;
    }
    const end = closing(text, mark, from);
    if (end < 0) {
      unclosed.add(mark);
      continue;
    }
    parent.append(text.slice(plain, found.index));
    const inner = text.slice(from, end);
    if (mark[0] === "`") parent.append(make("code", { dir: "ltr" }, inner));
    else parent.append(inline(make(mark.length === 2 ? "strong" : "em"), inner, deep + 1));
    partsLeft -= 1;
    plain = marks.lastIndex = end + mark.length;
  }
  parent.append(text.slice(plain));
  return parent;
}

// Where the mark ends again, -1 if nowhere.
function closing(text, mark, from) {
  for (let end = text.indexOf(mark, from + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    const before = text.charAt(end - 1);
    const after = text.charAt(end + mark.length);
    if (mark[0] === "`") {
      if (before !== "`" && after !== "`") return end;
      continue;
    }
    if (/\s/.test(before) || before === "\\" || before === mark[0] || (mark.length === 1 && after === mark[0])) continue;
    if (mark[0] === "_" && /[\p{L}\p{N}]/u.test(after)) continue;
    return end;
  }
  return -1;
}

const PIECE = 20_000;

// A very long text in pieces, of which the browser lays out only those in sight: 10 MB at once would hold it up for
// minutes. A piece ends at a line's end; within a longer line, at a space.
function pieces(text) {
  const found = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE, text.length), next = to;
    if (to < text.length) {
      const line = text.lastIndexOf("\n", to), space = text.lastIndexOf(" ", to);
      if (line > from) [to, next] = [line, line + 1];
      else if (space > from) to = next = space + 1;
    }
    found.push(make("div", { class: "piece" }, text.slice(from, to)));
    from = next;
  }
  return found;
}

// A text, or the turns of a conversation, verbatim or rendered.
function showText(box, content, asMarkup) {
  const put = (element, text) => {
    element.classList.toggle("rendered", asMarkup);
    if (asMarkup) element.replaceChildren(rendered(text));
    else if (text.length > 5 * PIECE) element.replaceChildren(...pieces(text));
    else element.textContent = text;
    return element;
  };
  if (typeof content === "string") {
    put(box, content);
    return;
  }
  box.classList.remove("rendered");
  box.replaceChildren(...content.map(({ role, text }) => make("div", { class: "turn", "data-role": role },
    make("div", { class: "role" }, role), put(make("div", { class: "said-text", dir: "auto" }), text))));
}
