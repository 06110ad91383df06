// The charts, of the runs that the filters about tasks, models and strategies leave.

function caption(figure, title, note) {
  figure.replaceChildren(el("figcaption", {}, el("h3", {}, title), el("p", {}, note)));
}
// Each column by its strategy under a heading for its model; by one of them alone where there is one of the other.
function namedByModel(columns, heading, each) {
  const hasModels = new Set(columns.map((column) => column.model)).size > 1;
  const hasStrategies = new Set(columns.map((column) => column.strategy)).size > 1;
  let model;
  for (const column of columns) {
    if (hasModels && hasStrategies && column.model !== model) heading(modelOf(column));
    model = column.model;
    each(column, hasModels && !hasStrategies ? modelOf(column) : strategyOf(column));
  }
}
// A line for each column; `draw` gives what is in its track, in percent of the width.
function chart(id, title, note, columns, ticks, draw) {
  const figure = byId(id);
  caption(figure, title, note);
  const list = el("ul", { class: "rows" });
  namedByModel(columns, (model) => list.append(el("li", { class: "model" }, model)), (column, name) => {
    const { marks, value } = draw(column);
    const grid = ticks.map(([at]) => svg("line", { class: "grid", x1: `${at}%`, x2: `${at}%`, y1: 0, y2: 18 }));
    list.append(el("li", {},
      el("a", { href: addressWith({ model: modelOf(column), strategy: strategyOf(column) }) }, name),
      svg("svg", { "aria-hidden": "true" }, grid, marks),
      el("span", { class: "value" }, value)));
  });
  const labels = ticks.map(([at, words]) => svg("text", { x: `${at}%`, y: 11, "text-anchor": at < 3 ? "start" : at > 97 ? "end" : "middle" }, words));
  list.append(el("li", { class: "axis", "aria-hidden": "true" }, el("span"), svg("svg", {}, labels), el("span")));
  figure.append(list);
}

const QUARTERS = [0, 25, 50, 75, 100].map((at) => [at, `${at} %`]);
function passedChart(columns) {
  chart("passed", "Tasks passed", "Right, or rightly declined, in more than half of the runs; with the 95 % interval.", columns, QUARTERS, ({ runs }) => {
    const { passed, of } = tasksPassed(runs);
    const [low, high] = interval(passed, of).map((share) => 100 * share);
    return {
      marks: [
        svg("rect", { class: "bar", x: 0, y: 2, width: `${(100 * passed) / of}%`, height: 14, rx: 2 }),
        svg("line", { class: "interval", x1: `${low}%`, x2: `${high}%`, y1: 9, y2: 9 }),
        ...[low, high].map((at) => svg("line", { class: "interval", x1: `${at}%`, x2: `${at}%`, y1: 5, y2: 13 })),
      ],
      value: [percent(passed / of), el("small", {}, ` ${low.toFixed(0)}–${high.toFixed(0)}, ${passed}/${of}`)],
    };
  });
}
const endingCounts = (runs) => ENDINGS.map((_, ending) => runs.filter((run) => run.ending === ending).length);
function segments(runs, height) {
  const counts = endingCounts(runs);
  let at = 0;
  return ENDINGS.map((ending, i) => {
    const width = (100 * counts[i]) / runs.length;
    at += width;
    return counts[i] === 0 ? "" : svg("rect", { class: `segment ${ending.word}`, x: `${at - width}%`, y: 0, width: `${width}%`, height }, svg("title", {}, `${ending.words}: ${counts[i]}`));
  }).filter((segment) => segment !== "");
}
function endingsChart(columns) {
  chart("endings", "What came of the runs", "Judgment is the model's own; mechanics is what kept an answer from becoming an edit.", columns, QUARTERS, ({ runs }) => {
    const share = (word) => percent(runs.filter((run) => ENDINGS[run.ending].word === word).length / runs.length);
    return { marks: segments(runs, 18), value: el("small", {}, `J ${share("judgment")}, M ${share("mechanics")}, of ${grouped(runs.length)}`) };
  });
  const there = endingCounts(columns.flatMap((column) => column.runs));
  const legend = ENDINGS.filter((_, i) => there[i] > 0).map((ending) => {
    const isOn = state.get("verdict") === ending.word;
    return el("button", { type: "button", value: ending.word, "aria-pressed": String(isOn), onclick: () => toggleVerdict(ending.word, isOn) },
      el("span", { class: `swatch ${ending.word}` }), `${ending.symbol} ${ending.words}`);
  });
  byId("endings").append(el("div", { class: "legend", role: "group", "aria-label": "Show runs that are" }, legend));
}
function toggleVerdict(word, isOn) {
  go({ verdict: isOn ? "" : word });
  // The legend is made anew; whoever uses the keyboard stays where they were.
  byId("endings").querySelector(`button[value="${word}"]`)?.focus();
}
function heatMap(id, filter, title, columns) {
  const figure = byId(id);
  caption(figure, title, "Percent of tasks passed, and of how many.");
  const of = FILTERS[filter].of;
  const values = FILTERS[filter].values.filter((value) => columns.some((column) => column.runs.some((run) => of(run) === value)));
  const head = el("tr", {}, el("td"), values.map((value) => el("th", { scope: "col" }, value)));
  const body = el("tbody");
  namedByModel(columns, (model) => body.append(el("tr", {}, el("th", { class: "model", colspan: values.length + 1 }, model))), (column, name) => {
    const cells = values.map((value) => {
      const { passed, of: all } = tasksPassed(column.runs.filter((run) => of(run) === value));
      if (all === 0) return el("td", { class: "none" }, "–");
      const address = addressWith({ model: modelOf(column), strategy: strategyOf(column), [filter]: value });
      const cell = el("td", {}, el("a", { href: address }, ((100 * passed) / all).toFixed(0), el("small", {}, `${passed}/${all}`)));
      cell.style.background = `color-mix(in oklab, var(--heat) ${(100 * passed) / all}%, var(--code))`;
      return cell;
    });
    body.append(el("tr", {}, el("th", { scope: "row" }, name), cells));
  });
  figure.append(el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "heat" }, el("thead", {}, head), body)));
}
// Medians as dots on a logarithmic scale, with the middle half of the runs.
function dots(id, title, note, columns, of, words) {
  const sorted = new Map(columns.map((column) => [column, column.runs.map(of).sort((a, b) => a - b)]));
  const quartiles = (column) => [0.25, 0.5, 0.75].map((share) => Math.max(quantile(sorted.get(column), share), 0.01));
  const all = columns.flatMap(quartiles);
  // At least from 1 to 2, so that small differences look small.
  const [least, most] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const missing = Math.max(Math.LN2 - (most - least), 0) / 2;
  const low = least - missing, high = most + missing;
  const place = (value) => 3 + (94 * (Math.log(value) - low)) / (high - low);
  // Round numbers that are far enough apart to be read.
  const ticks = [];
  for (let power = -2; power < 9; power++) {
    for (const value of [1, 2, 5].map((digit) => digit * 10 ** power)) {
      const at = place(value);
      if (at >= 3 && at <= 97 && at - place(ticks.at(-1) ?? 1e-9) > 17) ticks.push(value);
    }
  }
  chart(id, title, note, columns, ticks.map((value) => [place(value), words(value)]), (column) => {
    const [lower, middle, upper] = quartiles(column);
    return {
      marks: [
        svg("line", { class: "range", x1: `${place(lower)}%`, x2: `${place(upper)}%`, y1: 9, y2: 9 }),
        svg("circle", { class: "bar", cx: `${place(middle)}%`, cy: 9, r: 5 }),
      ],
      value: words(middle),
    };
  });
}
function showCharts(runs) {
  const columns = columnsOf(runs);
  for (const figure of document.querySelectorAll("figure")) figure.hidden = columns.length === 0;
  if (columns.length === 0) return;
  passedChart(columns);
  endingsChart(columns);
  heatMap("levels", "level", "By level", columns);
  heatMap("categories", "category", "By category", columns);
  dots("time", "Time of a run", "Median, and the middle half of the runs; logarithmic.", columns, (run) => run.ms, duration);
  dots("tokens", "Tokens of a run", "Prompts and answers; median, and the middle half of the runs; logarithmic.", columns, (run) => run.prompt_tokens + run.answer_tokens, grouped);
}
