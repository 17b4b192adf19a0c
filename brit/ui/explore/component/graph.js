"use strict";
/* Draws marks with vis-network and the lines between them by hand, which is what makes thousands of
   them bearable, and says what was clicked. Words of documents are painted on the canvas and
   nowhere else: nothing here makes HTML of them. */
(() => {
  const ground = document.getElementById("graph");
  const FONT = "Inter, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif";
  const NEAR = 6; // pixels beside a line that still count as on it
  let network = null, args = null, places = [], number = new Map(), byStyle = [];
  let shown = "", saved = 0, hovered = "", fitted = false;

  const tell = (type, more) =>
    window.parent.postMessage({ isStreamlitMessage: true, type, ...more }, "*");
  const say = (event, id) =>
    tell("streamlit:setComponentValue", { value: { event, id, at: Date.now() }, dataType: "json" });

  // --- marks ---

  const nodeOf = ([id, x, y, size, colour, , , picture, main]) => {
    const [fill, border] = args.colours[colour];
    const edge = main ? args.theme.accent : border;
    const lit = { background: fill, border: args.theme.accent };
    const node = { id, x, y, size, borderWidth: main ? 3 : 1.5, borderWidthSelected: 4,
      color: { background: fill, border: edge, highlight: lit, hover: lit } };
    if (!picture) return { ...node, shape: colour === args.square ? "square" : "dot" };
    return { ...node, shape: "image", image: picture,
      shapeProperties: { useBorderWithImage: true, interpolation: false } };
  };

  const OPTIONS = {
    physics: false,
    layout: { improvedLayout: false },
    interaction: { hover: true, multiselect: false, tooltipDelay: 1e9,
      keyboard: { enabled: true, bindToWindow: false } },
  };

  const build = () => {
    if (network) network.destroy();
    number = new Map(args.marks.map(([id], at) => [id, at]));
    places = args.marks.map(([, x, y]) => ({ x, y }));
    byStyle = args.styles.map((_, style) => args.lines.filter((line) => line[3] === style));
    // What stands out is drawn above the rest.
    const order = [...args.marks].sort((a, b) => a[8] - b[8]);
    network = new vis.Network(ground, { nodes: order.map(nodeOf), edges: [] }, OPTIONS);
    network.on("beforeDrawing", paintLines);
    network.on("afterDrawing", paint);
    network.on("click", ({ nodes: [node], pointer: { canvas } }) => {
      const id = node ?? lineAt(canvas);
      if (id === undefined) say("ground", "");
      else say("pick", id);
    });
    network.on("doubleClick", ({ nodes: [node] }) => { if (node !== undefined) say("open", node); });
    network.on("dragging", ({ nodes }) => nodes.forEach((id) => {
      places[number.get(id)] = network.getPosition(id);
    }));
    network.on("hoverNode", ({ node }) => hover(node));
    network.on("blurNode", () => hover(""));
    fitted = false;
    fit(false);
  };

  const hover = (id) => {
    hovered = id;
    ground.classList.toggle("over", id !== "");
    network.redraw();
  };

  // --- the view ---

  const min = (values) => values.reduce((a, b) => Math.min(a, b));
  const max = (values) => values.reduce((a, b) => Math.max(a, b));

  const fit = (animation) => {
    // The frame has no height before the page's style is there.
    if (!network || !places.length || ground.clientHeight < 60) return;
    fitted = true;
    const xs = places.map(({ x }) => x), ys = places.map(({ y }) => y);
    const [left, top, right, bottom] = [min(xs), min(ys), max(xs), max(ys)];
    // Names keep their size on the screen: the margin they need is no share of the drawing.
    const scale = Math.min((ground.clientWidth - 136) / (right - left + 1),
      (ground.clientHeight - 100) / (bottom - top + 1), 1.25);
    const position = { x: (left + right) / 2, y: (top + bottom) / 2 + 12 / scale };
    network.moveTo({ position, scale, animation });
  };

  const zoom = (factor) => network && network.moveTo({
    scale: Math.min(Math.max(network.getScale() * factor, 0.02), 5), animation: { duration: 180 } });

  const inside = ({ x, y }, scale) => {
    const { x: cx, y: cy } = network.getViewPosition();
    return Math.abs(x - cx) * scale < ground.clientWidth / 2 + 120
      && Math.abs(y - cy) * scale < ground.clientHeight / 2 + 60;
  };

  // --- lines ---

  const touches = ([id, one, other], mark) =>
    id === mark || args.marks[one][0] === mark || args.marks[other][0] === mark;

  const paintLines = (pen) => {
    const scale = network.getScale();
    pen.lineCap = "butt";
    byStyle.forEach((lines, style) => paintStyle(pen, lines, args.styles[style], scale));
    const lit = { colour: args.theme.accent, width: 2, dashes: false };
    for (const mark of [args.picked, hovered]) {
      if (mark) paintStyle(pen, args.lines.filter((line) => touches(line, mark)), lit, scale);
    }
    pen.setLineDash([]);
  };

  const paintStyle = (pen, lines, { colour, width, dashes }, scale) => {
    if (!lines.length) return;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = Math.max(width, (width < 2 ? 0.8 : 1.8) / scale);
    pen.setLineDash(dashes || []);
    pen.beginPath();
    for (const [, one, other] of lines) {
      pen.moveTo(places[one].x, places[one].y);
      pen.lineTo(places[other].x, places[other].y);
    }
    pen.stroke();
    if (scale < 0.25) return;
    for (const [, one, other, style] of lines) {
      if (args.styles[style].arrow) paintArrow(pen, one, other, width);
    }
  };

  const paintArrow = (pen, one, other, width) => {
    const from = places[one], to = places[other], long = Math.hypot(to.x - from.x, to.y - from.y);
    const back = args.marks[other][3] + 2, wide = 3.5 + width / 2;
    if (long < back + 12) return;
    const [dx, dy] = [(to.x - from.x) / long, (to.y - from.y) / long];
    const tip = { x: to.x - dx * back, y: to.y - dy * back };
    const foot = { x: tip.x - dx * 9, y: tip.y - dy * 9 };
    pen.beginPath();
    pen.moveTo(tip.x, tip.y);
    pen.lineTo(foot.x - dy * wide, foot.y + dx * wide);
    pen.lineTo(foot.x + dy * wide, foot.y - dx * wide);
    pen.fill();
  };

  const overLine = ({ offsetX: x, offsetY: y }) => {
    if (!network || hovered || args.lines.length > 2000) return;
    ground.classList.toggle("over", lineAt(network.DOMtoCanvas({ x, y })) !== undefined);
  };

  const lineAt = ({ x, y }) => {
    let best = NEAR / network.getScale(), found;
    for (const [id, one, other] of args.lines) {
      const a = places[one], b = places[other], dx = b.x - a.x, dy = b.y - a.y;
      const along = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1);
      const share = Math.min(Math.max(along, 0), 1);
      const far = Math.hypot(a.x + share * dx - x, a.y + share * dy - y);
      if (far < best) [best, found] = [far, id];
    }
    return found;
  };

  // --- words ---

  // Names keep their size on the screen; the nearer one is, the more of them are shown.
  const paint = (pen) => {
    window.brit.drawn++;
    const scale = network.getScale();
    pen.textAlign = "center";
    pen.lineJoin = "round";
    paintDots(pen, scale);
    nameLines(pen, scale);
    const near = new Set([args.picked, hovered]);
    args.marks.forEach((mark, at) => {
      if (mark[6] <= scale && !near.has(mark[0])) nameMark(pen, mark, places[at], scale, false);
    });
    for (const id of near) {
      const at = number.get(id);
      if (at !== undefined) nameMark(pen, args.marks[at], places[at], scale, true);
    }
  };

  // From afar a mark would be smaller than a point of the screen.
  const paintDots = (pen, scale) => {
    const least = 1.3 / scale;
    args.colours.forEach(([fill], colour) => {
      pen.beginPath();
      args.marks.forEach(([, , , size, own], at) => {
        if (own !== colour || size > least) return;
        const { x, y } = places[at], wide = least * Math.min(2, 0.7 + size / 16);
        if (colour === args.square) pen.rect(x - wide, y - wide, 2 * wide, 2 * wide);
        else {
          pen.moveTo(x + wide, y);
          pen.arc(x, y, wide, 0, 7);
        }
      });
      pen.fillStyle = fill;
      pen.fill();
    });
  };

  const nameMark = (pen, [, , , size, , label, , , main], place, scale, lit) => {
    if (!label || !inside(place, scale)) return;
    pen.font = `${main || lit ? 600 : 450} ${args.theme.size / scale}px ${FONT}`;
    pen.textBaseline = "top";
    label.split("\n").forEach((line, row) => words(pen, line, place.x,
      place.y + size + (3 + row * args.theme.line) / scale, scale, args.theme.text));
  };

  // What a line says is written where it is long enough to carry it.
  const nameLines = (pen, scale) => {
    pen.font = `450 ${(args.theme.size - 2) / scale}px ${FONT}`;
    pen.textBaseline = "middle";
    const few = scale >= 0.75 || args.lines.length <= 60;
    for (const [id, one, other, style, label] of args.lines) {
      const lit = args.styles[style].main || args.picked === id;
      if (!label || !(lit || few)) continue;
      const a = places[one], b = places[other], middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      if (!inside(middle, scale)) continue;
      const long = Math.hypot(a.x - b.x, a.y - b.y);
      if (!lit && long < pen.measureText(label).width + 44 / scale) continue;
      words(pen, label, middle.x, middle.y, scale, lit ? args.theme.text : args.theme.muted);
    }
  };

  const words = (pen, text, x, y, scale, colour) => {
    pen.lineWidth = 3.5 / scale;
    pen.strokeStyle = args.theme.surface;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
  };

  // --- what the page asks for ---

  // The canvas as it is seen, on the ground it is seen on.
  const save = (file) => {
    const seen = ground.querySelector("canvas"), copy = document.createElement("canvas");
    copy.width = seen.width;
    copy.height = seen.height;
    const pen = copy.getContext("2d");
    pen.fillStyle = args.theme.surface;
    pen.fillRect(0, 0, copy.width, copy.height);
    pen.drawImage(seen, 0, 0);
    const link = document.createElement("a");
    link.download = file;
    link.href = copy.toDataURL("image/png");
    link.click();
  };

  const dress = () => {
    for (const key of ["accent", "border", "surface", "text", "hover"]) {
      document.documentElement.style.setProperty(`--${key}`, args.theme[key]);
    }
    for (const id of ["graph", "in", "out", "fit"]) {
      document.getElementById(id).setAttribute("aria-label", args.words[id]);
    }
  };

  const render = (fresh) => {
    args = fresh;
    // A line is named by the marks it joins.
    args.lines = args.lines.map(([one, other, style, label]) =>
      [`${args.marks[one][0]}~${args.marks[other][0]}`, one, other, style, label]);
    dress();
    if (args.version !== shown) {
      shown = args.version;
      hovered = "";
      build();
    }
    if (number.has(args.picked)) network.selectNodes([args.picked]);
    else network.unselectAll();
    network.redraw();
    if (args.save > saved) {
      saved = args.save;
      requestAnimationFrame(() => save(args.file));
    }
  };

  // Where a mark is seen and how often all was drawn, for whoever drives the page.
  window.brit = { drawn: 0, placeOf: (id) =>
    number.has(id) ? network.canvasToDOM(places[number.get(id)]) : null };
  document.getElementById("in").onclick = () => zoom(1.4);
  document.getElementById("out").onclick = () => zoom(1 / 1.4);
  document.getElementById("fit").onclick = () => fit({ duration: 250 });
  ground.addEventListener("mousemove", overLine);
  // A ring for who came by keyboard only: vis-network takes the focus at every click.
  ground.addEventListener("keyup", ({ key }) => { if (key === "Tab") ground.classList.add("tabbed"); });
  for (const event of ["pointerdown", "focusout"]) {
    ground.addEventListener(event, () => ground.classList.remove("tabbed"));
  }
  let width = ground.clientWidth;
  new ResizeObserver(() => {
    if (!fitted || Math.abs(ground.clientWidth - width) > 40) requestAnimationFrame(() => fit(false));
    width = ground.clientWidth;
  }).observe(ground);
  window.addEventListener("message", ({ data }) => {
    if (data.type === "streamlit:render") render(data.args);
  });
  tell("streamlit:componentReady", { apiVersion: 1 });
})();
