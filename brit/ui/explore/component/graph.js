"use strict";
/* Draws marks and lines with vis-network and says what was clicked. Words of documents are painted
   on the canvas and nowhere else: nothing here makes HTML of them. */
(() => {
  const ground = document.getElementById("graph");
  const FONT = "Inter, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif";
  let network = null, nodes = null, args = null, marks = new Map(), lines = [];
  let shown = "", saved = 0, hovered = "", fitted = false;

  const tell = (type, more) =>
    window.parent.postMessage({ isStreamlitMessage: true, type, ...more }, "*");
  const say = (event, id) =>
    tell("streamlit:setComponentValue", { value: { event, id, at: Date.now() }, dataType: "json" });

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

  const edgeOf = ([id, one, other, style]) => {
    const { colour, width, dashes, arrow } = args.styles[style];
    return { id, from: args.marks[one][0], to: args.marks[other][0], width, dashes,
      color: { color: colour, highlight: args.theme.accent, hover: args.theme.accent },
      arrows: arrow ? { to: { enabled: true, scaleFactor: 0.45 } } : undefined };
  };

  const options = (large) => ({
    physics: false,
    layout: { improvedLayout: false },
    edges: { smooth: false, selectionWidth: 1.2, hoverWidth: 0.6, chosen: true },
    interaction: { hover: true, multiselect: false, tooltipDelay: 1e9, hideEdgesOnDrag: large,
      hideEdgesOnZoom: large, keyboard: { enabled: true, bindToWindow: false } },
  });

  const build = () => {
    if (network) network.destroy();
    marks = new Map(args.marks.map((mark) => [mark[0], mark]));
    lines = args.lines;
    // What stands out is drawn above the rest.
    const order = [...args.marks].sort((a, b) => a[8] - b[8]);
    nodes = new vis.DataSet(order.map(nodeOf));
    const edges = new vis.DataSet(lines.map(edgeOf));
    network = new vis.Network(ground, { nodes, edges }, options(lines.length > 1500));
    network.on("afterDrawing", paint);
    network.on("click", ({ nodes: [node], edges: [edge] }) =>
      node !== undefined ? say("pick", node) : edge !== undefined ? say("pick", edge) : say("ground", ""));
    network.on("doubleClick", ({ nodes: [node] }) => { if (node !== undefined) say("open", node); });
    network.on("hoverNode", ({ node }) => hover(node));
    network.on("blurNode", () => hover(""));
    network.on("hoverEdge", () => ground.classList.add("over"));
    network.on("blurEdge", () => ground.classList.remove("over"));
    fitted = false;
    fit(false);
  };

  const hover = (id) => {
    hovered = id;
    ground.classList.toggle("over", id !== "");
    network.redraw();
  };

  const min = (values) => values.reduce((a, b) => Math.min(a, b));
  const max = (values) => values.reduce((a, b) => Math.max(a, b));

  const fit = (animation) => {
    // The frame has no height before the page's style is there.
    if (!network || !args.marks.length || ground.clientHeight < 60) return;
    fitted = true;
    const xs = args.marks.map((mark) => mark[1]), ys = args.marks.map((mark) => mark[2]);
    const [left, top, right, bottom] = [min(xs), min(ys), max(xs), max(ys)];
    // Names keep their size on the screen: the margin they need is no share of the drawing.
    const scale = Math.min((ground.clientWidth - 136) / (right - left + 1),
      (ground.clientHeight - 100) / (bottom - top + 1), 1.25);
    const position = { x: (left + right) / 2, y: (top + bottom) / 2 + 12 / scale };
    network.moveTo({ position, scale, animation });
  };

  const zoom = (factor) => network && network.moveTo({
    scale: Math.min(Math.max(network.getScale() * factor, 0.02), 5), animation: { duration: 180 } });

  // Names keep their size on the screen; the nearer one is, the more of them are shown.
  const paint = (pen) => {
    window.brit.drawn++;
    const scale = network.getScale();
    pen.textAlign = "center";
    pen.lineJoin = "round";
    paintDots(pen, scale);
    paintLines(pen, scale);
    const near = new Set(args.picked ? [args.picked, hovered] : [hovered]);
    for (const mark of args.marks) {
      if (mark[6] <= scale && !near.has(mark[0])) name(pen, mark, scale, false);
    }
    for (const id of near) if (marks.has(id)) name(pen, marks.get(id), scale, true);
  };

  // From afar a mark would be smaller than a point of the screen.
  const paintDots = (pen, scale) => {
    const least = 1.3 / scale;
    for (const [number, [fill]] of args.colours.entries()) {
      pen.beginPath();
      for (const [id, , , size, colour] of args.marks) {
        if (colour !== number || size > least) continue;
        const { x, y } = network.getPosition(id), wide = least * Math.min(2, 0.7 + size / 16);
        if (colour === args.square) pen.rect(x - wide, y - wide, 2 * wide, 2 * wide);
        else {
          pen.moveTo(x + wide, y);
          pen.arc(x, y, wide, 0, 7);
        }
      }
      pen.fillStyle = fill;
      pen.fill();
    }
  };

  const inside = ({ x, y }, scale) => {
    const { x: cx, y: cy } = network.getViewPosition();
    return Math.abs(x - cx) * scale < ground.clientWidth / 2 + 120
      && Math.abs(y - cy) * scale < ground.clientHeight / 2 + 60;
  };

  const name = (pen, [id, , , size, , label, , , main], scale, lit) => {
    const at = network.getPosition(id);
    if (!label || !inside(at, scale)) return;
    pen.font = `${main || lit ? 600 : 450} ${args.theme.size / scale}px ${FONT}`;
    pen.textBaseline = "top";
    label.split("\n").forEach((line, row) => words(
      pen, line, at.x, at.y + size + (3 + row * args.theme.line) / scale, scale, args.theme.text));
  };

  const words = (pen, text, x, y, scale, colour) => {
    pen.lineWidth = 3.5 / scale;
    pen.strokeStyle = args.theme.surface;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
  };

  // What a line says is written where it is long enough to carry it.
  const paintLines = (pen, scale) => {
    pen.font = `450 ${(args.theme.size - 2) / scale}px ${FONT}`;
    pen.textBaseline = "middle";
    for (const [id, one, other, style, label] of lines) {
      if (!label) continue;
      const picked = args.picked === id, { main } = args.styles[style];
      const a = network.getPosition(args.marks[one][0]), b = network.getPosition(args.marks[other][0]);
      const long = Math.hypot(a.x - b.x, a.y - b.y) * scale;
      if (!picked && !main && (long < 60 || (scale < 0.75 && lines.length > 60))) continue;
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      if (!inside(middle, scale)) continue;
      if (!picked && !main && long < pen.measureText(label).width * scale + 44) continue;
      words(pen, label, middle.x, middle.y, scale, picked || main ? args.theme.text : args.theme.muted);
    }
  };

  const select = () => {
    const { picked } = args;
    if (marks.has(picked)) network.selectNodes([picked]);
    else if (lines.some(([id]) => id === picked)) network.setSelection({ nodes: [], edges: [picked] });
    else network.unselectAll();
    network.redraw();
  };

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
    const { theme, words: named } = args;
    for (const key of ["accent", "border", "surface", "text", "hover"]) {
      document.documentElement.style.setProperty(`--${key}`, theme[key]);
    }
    ground.setAttribute("aria-label", named.graph);
    for (const id of ["in", "out", "fit"]) {
      document.getElementById(id).setAttribute("aria-label", named[id]);
    }
  };

  const render = (fresh) => {
    args = fresh;
    dress();
    if (args.version !== shown) {
      shown = args.version;
      hovered = "";
      build();
    }
    select();
    if (args.save > saved) {
      saved = args.save;
      requestAnimationFrame(() => save(args.file));
    }
    document.body.dataset.drawn = shown;
  };

  // Where a mark is seen and how often all was drawn, for whoever drives the page.
  window.brit = { drawn: 0, placeOf: (id) => marks.has(id) ? network.canvasToDOM(network.getPosition(id)) : null };
  document.getElementById("in").onclick = () => zoom(1.4);
  document.getElementById("out").onclick = () => zoom(1 / 1.4);
  document.getElementById("fit").onclick = () => fit({ duration: 250 });
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
