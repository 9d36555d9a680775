// Keys. They are dead while something is being typed, and a held one counts once.

function keyPressed(card, event) {
  if (!card.data || event.isComposing) return;
  const target = event.composedPath()[0];
  const tag = target.tagName;
  if (event.repeat) {
    // A held Enter or Space on a button would click it again and again.
    if ((tag === "BUTTON" || tag === "SUMMARY") && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    return;
  }
  const idle = card.data.mode === "idle";
  const ownField = !idle && card.score.fields.includes(target);
  const open = card.root.querySelector("dialog[open]");
  const control = event.ctrlKey || event.metaKey;
  const act = (action) => { event.preventDefault(); action(); };
  if (!idle && target === card.note.box && !event.altKey) {
    if (event.key === "Enter" && control) act(() => card.submit());
    else if (event.key === "Escape") card.reading.focus();
    return;
  }
  const typing = tag === "TEXTAREA" || tag === "SELECT" || target.isContentEditable
    || (tag === "INPUT" && !["checkbox", "range"].includes(target.type) && !ownField);
  if (typing || event.altKey) return;
  if (open) {
    const button = control ? null : open.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button) act(() => button.click());
    return;
  }
  if (!idle && event.key === "Enter" && control) return act(() => card.submit());
  if (ownField && event.key === "Enter") return act(() => card.entered());
  if (control) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const taken = idle ? null : card.score.key(key, target);
  if (taken === "chosen") event.preventDefault();
  if (taken) return;
  const anywhere = {
    u: () => card.undo(),
    l: () => card.openRecent(),
    g: () => card.open(card.guidelines),
    "?": () => card.open(card.keys),
  };
  const onItem = {
    s: () => card.openSkip(),
    n: () => card.note.toggle(),
    f: () => card.note.toggleFlag(),
    v: () => card.toggleMarkup(),
    Escape: () => card.leaveCorrection(),
  };
  const action = anywhere[key] ?? (idle ? undefined : onItem[key]);
  if (action) act(action);
}
