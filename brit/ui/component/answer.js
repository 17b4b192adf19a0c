// An answer whose sentences can be chosen, and the path that led to what they rest on. Words of
// documents and models travel as data and become text nodes.

const PAUSE = 1800; // milliseconds a step stays while the path is played
const players = new WeakMap();

const part = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.append(document.createTextNode(text));
  return made;
};

const icon = (name) => {
  const made = part("span", "icon", name);
  made.setAttribute("aria-hidden", "true");
  return made;
};

const button = (name, label, symbol, act) => {
  const made = part("button", name);
  made.type = "button";
  if (symbol) made.append(icon(symbol));
  if (label) made.append(part("span", "word", label));
  made.dataset.key = name || symbol;
  made.onclick = (event) => { event.stopPropagation(); act(); };
  return made;
};

const STYLES = { b: "strong", i: "em" };

function cite(each, run, pick) {
  const made = button(`cite ${run.image ? "image" : ""} ${run.on ? "on" : ""}`, "",
    run.image ? "image" : "", () => pick(run.mark));
  made.append(document.createTextNode(String(run.cite)));
  made.setAttribute("aria-label", run.label);
  made.dataset.key = `cite-${each.id}-${run.cite}`;
  return made;
}

function sentence(data, each, pick) {
  const made = part("span", "sentence");
  const on = data.lit.includes(each.id);
  made.classList.toggle("on", on);
  for (const run of each.runs) {
    if (run.cite) made.append(cite(each, run, pick));
    else if (run.verdict) {
      const mark = part("span", "verdict");
      mark.style.color = run.colour;
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", run.verdict);
      mark.append(icon(run.icon));
      made.append(" ", mark);
    } else {
      const text = document.createTextNode(run.text);
      if (!STYLES[run.style]) { made.append(text); continue; }
      const styled = part(STYLES[run.style]);
      styled.append(text);
      made.append(styled);
    }
  }
  if (!each.linked) return made;
  made.classList.add("linked");
  const chosen = data.chosen === each.mark;
  const choose = () => {
    made.closest(".answer").classList.add("lit");
    made.classList.toggle("on", !chosen);
    route.focus({ preventScroll: true }); // Escape is heard where the focus is
    pick(chosen ? "" : each.mark);
  };
  made.onclick = () => { if (document.getSelection().isCollapsed) choose(); };
  const route = button("route", "", "route", choose);
  route.setAttribute("aria-label", data.words.show);
  route.setAttribute("aria-pressed", String(chosen));
  route.dataset.key = `route-${each.id}`;
  made.append(" ", route);
  return made;
}

function path(data, player, send) {
  const { steps, at } = data.path;
  const words = data.words;
  const go = (step) => { player.stop(); send("step", step); };
  const card = part("section", "path");
  card.setAttribute("aria-label", words.path);
  const bar = part("div", "bar");
  const named = (made, label, off = false) => {
    made.setAttribute("aria-label", label);
    made.title = label;
    made.disabled = off;
    return made;
  };
  const playing = player.timer !== null;
  bar.append(
    part("strong", "", words.path),
    named(button("", "", "skip_previous", () => go(at - 1)), words.previous, at <= 0),
    part("span", "at", at < 0 ? words.steps : `${at + 1} / ${steps.length}`),
    named(button("", "", "skip_next", () => go(at + 1)), words.next, at >= steps.length - 1),
    button("play", playing ? words.stop : words.play, playing ? "stop" : "play_arrow", () => {
      if (player.timer !== null) { player.stop(); draw(data, player, send); return; }
      player.start(at >= steps.length - 1 ? 0 : at + 1);
    }),
    button("open", words.open, "menu_book", () => { player.stop(); send("open", true); }),
    named(button("close", "", "close", () => { player.stop(); send("pick", ""); }), words.close),
  );
  const list = part("ol");
  steps.forEach((step, number) => {
    const row = button("", "", step.icon, () => go(number));
    row.dataset.key = `step-${number}`;
    const told = part("span", "", step.text);
    told.dir = "auto";
    if (step.note) told.append(part("small", "", step.note));
    row.append(told);
    if (number === at) row.setAttribute("aria-current", "step");
    const item = part("li");
    item.append(row);
    list.append(item);
  });
  const told = part("div", "said", at < 0 ? "" : `${steps[at].text} ${steps[at].note}`);
  told.setAttribute("aria-live", "polite");
  card.append(bar, list, told);
  return card;
}

function draw(data, player, send) {
  const host = player.host.querySelector(".answer");
  const focus = host.getRootNode().activeElement;
  const held = focus && host.contains(focus) ? focus.dataset.key : "";
  const pick = (mark) => { player.stop(); send("pick", mark); };
  for (const [name, value] of Object.entries(data.colours)) host.style.setProperty(`--${name}`, value);
  host.classList.toggle("lit", data.lit.length > 0);
  host.replaceChildren(...data.blocks.flatMap((block, number) => {
    const made = part(block.item ? "div" : "p", block.item ? "item" : "");
    made.dir = "auto";
    if (block.item) made.dataset.mark = block.item;
    made.append(...block.sentences.flatMap((each) => [sentence(data, each, pick), " "]));
    return data.path && data.path.below === number ? [made, path(data, player, send)] : [made];
  }));
  host.onkeydown = (event) => { if (event.key === "Escape" && data.path) pick(""); };
  const same = held && host.querySelector(`[data-key="${held}"]`);
  const next = same && same.disabled ? host.querySelector(".play") : same;
  if (next) next.focus({ preventScroll: true });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const player = players.get(parentElement) ?? { host: parentElement, timer: null, chosen: "" };
  players.set(parentElement, player);
  const send = setTriggerValue;
  player.stop = () => { clearTimeout(player.timer); player.timer = null; };
  player.start = (step) => {
    clearTimeout(player.timer);
    player.timer = setTimeout(() => {}, 0);
    send("step", step);
  };
  const last = data.path ? data.path.steps.length - 1 : -1;
  if (player.timer !== null) {
    clearTimeout(player.timer);
    player.timer = null;
    if (data.chosen === player.chosen && data.path && data.path.at < last) {
      player.timer = setTimeout(() => player.start(data.path.at + 1), PAUSE);
    }
  }
  const moved = data.chosen !== player.chosen || (data.path && data.path.at !== player.at);
  player.chosen = data.chosen;
  player.at = data.path ? data.path.at : -1;
  draw(data, player, send);
  const shown = parentElement.querySelector("[aria-current]") ?? parentElement.querySelector(".bar");
  if (moved && shown) shown.scrollIntoView({ block: "nearest" });
  return () => { clearTimeout(player.timer); };
}
