// A page with what can be pointed at on it. Words of documents become text nodes and attributes.

const part = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.append(document.createTextNode(text));
  return made;
};

const region = (each, pick) => {
  const made = part("button", `${each.kind}${each.on ? " on" : ""}`);
  made.type = "button";
  made.setAttribute("aria-pressed", String(each.on));
  made.onclick = () => pick(each.id);
  return made;
};

function sheet(data, pick) {
  const made = part("div", "sheet");
  const picture = part("img");
  picture.src = data.image;
  picture.alt = data.alt;
  made.append(picture);
  for (const each of data.regions) {
    const [left, top, right, bottom] = each.box.map((side) => side * 100);
    const area = region(each, pick);
    area.style.cssText = `left:${left}%;top:${top}%;width:${right - left}%;height:${bottom - top}%`;
    area.setAttribute("aria-label", each.label ? `${each.said}: ${each.label}` : each.said);
    area.title = area.getAttribute("aria-label");
    made.append(area);
  }
  return made;
}

function flow(data, pick) {
  const made = part("div", "flow");
  for (const each of data.regions) {
    const row = region(each, pick);
    row.dir = "auto";
    if (each.picture) {
      const picture = part("img");
      picture.src = each.picture;
      picture.alt = each.label || each.said;
      row.append(picture);
    }
    row.append(document.createTextNode(each.text || each.label || each.said));
    made.append(row);
  }
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".page");
  const pick = (id) => setTriggerValue("pick", id);
  const before = host.dataset.page;
  const focus = host.getRootNode().activeElement;
  const number = focus ? [...host.querySelectorAll("button")].indexOf(focus) : -1;
  host.replaceChildren(data.image ? sheet(data, pick) : flow(data, pick));
  host.dataset.page = data.page;
  if (before === data.page && number >= 0) {
    host.querySelectorAll("button")[number]?.focus({ preventScroll: true });
  }
  const on = host.querySelector(".on");
  if (on && !data.image) on.scrollIntoView({ block: "nearest" });
}
