// The list of tasks. Each is made when it is opened: there may be thousands.

const TASKS_AT_ONCE = 40;
let shown = [];
let nShown = 0;
const ORDERS = {
  hard: (runs) => runs.filter((run) => run.passed).length / runs.length,
  divided: (runs) => Math.abs(runs.filter((run) => run.passed).length / runs.length - 0.5),
};
function showList(runs) {
  const tasks = new Map();
  for (const run of runs) tasks.has(run.task) ? tasks.get(run.task).push(run) : tasks.set(run.task, [run]);
  shown = [...tasks].sort(([a], [b]) => a - b);
  const order = Object.hasOwn(ORDERS, state.get("order")) && ORDERS[state.get("order")];
  if (order) shown.sort(([, a], [, b]) => order(a) - order(b));
  byId("order").value = order ? state.get("order") : "suite";
  byId("list").replaceChildren();
  nShown = 0;
  showMore();
  const n = counted(runs.length, "run", "runs"), all = grouped(data.rows.length);
  const counts = byId("counts");
  counts.dataset.runs = runs.length;
  counts.dataset.tasks = shown.length;
  const set = [...Object.keys(FILTERS), "text"].filter((name) => state.has(name)).map((name) => `${name} ${inWords(name, state.get(name))}`);
  const inTasks = `in ${counted(shown.length, "task", "tasks")}`;
  counts.textContent = [`${runs.length === data.rows.length ? `All ${n}` : `${n} of ${all}`} ${inTasks}`, ...set].join(", ");
  if (shown.length === 0) byId("list").append(el("p", { class: "nothing" }, "No run fits these filters."));
  else if (shown.length === 1 && state.has("task")) byId("list").firstChild.open = true;
}
function showMore() {
  const next = shown.slice(nShown, nShown + TASKS_AT_ONCE);
  byId("list").append(...next.map(([task, runs]) => taskCard(data.tasks[task], runs)));
  nShown += next.length;
  byId("more").hidden = nShown >= shown.length;
}
function taskCard(task, runs) {
  const passed = runs.filter((run) => run.passed).length;
  const chips = [task.level === "" ? "" : `level ${task.level}`, task.category, task.language].filter((word) => word !== "").map((word) => el("span", { class: "chip" }, word));
  const card = el("details", { class: "box task" }, el("summary", {},
    el("div", {}, el("p", { class: "sentence" }, task.wordings[0] ?? task.name), el("p", { class: "about" }, el("span", {}, task.name), chips)),
    el("div", { class: "score" }, svg("svg", { "aria-hidden": "true" }, segments(runs, 8)), el("span", {}, `${passed} of ${counted(runs.length, "run", "runs")} passed`))));
  // What is closed is not made: there may be thousands.
  card.addEventListener("toggle", () => {
    if (card.open && card.childElementCount === 1) card.append(taskBody(task, runs));
  });
  return card;
}
function taskBody(task, runs) {
  const result = el("div", { class: "result" });
  const buttons = new Map();
  const choose = (run) => {
    for (const [other, button] of buttons) button.setAttribute("aria-pressed", String(other === run));
    result.replaceChildren(runDetails(task, run));
  };
  const picker = el("div", { class: "picker" });
  for (const column of columnsOf(runs)) {
    const group = el("div", {});
    for (const run of column.runs.sort((a, b) => a.wording - b.wording || a.run - b.run)) {
      const { word, words, symbol } = ENDINGS[run.ending];
      const name = task.wordings.length > 1 ? `${run.wording + 1}.${run.run}` : `${run.run}`;
      const description = `${task.wordings.length > 1 ? `wording ${run.wording + 1}, ` : ""}run ${run.run}: ${words}`;
      const button = el("button", { type: "button", title: description, "aria-label": description, onclick: () => choose(run) },
        el("span", { class: `swatch ${word}` }), `${name} ${symbol}`);
      buttons.set(run, button);
      group.append(button);
    }
    const name = data.models.length > 1 ? `${modelOf(column)}, ${strategyOf(column)}` : strategyOf(column);
    picker.append(el("div", { role: "group", "aria-label": name }, name, group));
  }
  const first = runs.find((run) => !run.passed) ?? runs[0];
  const wordings = task.wordings.length > 1 ? [el("div", {}, el("h4", {}, "Wordings"), el("ol", {}, task.wordings.map((wording) => el("li", {}, wording))))] : [];
  const check = task.check ? [el("div", {}, el("h4", {}, "What decides"), el("pre", { class: "answer" }, task.check))] : [];
  const link = state.has("task") ? [] : [el("a", { href: `#${new URLSearchParams({ task: task.name })}` }, "All runs of this task alone, to link to")];
  const body = el("div", { class: "body" }, wordings, check, picker, result, link);
  choose(first);
  return body;
}
function runDetails(task, run) {
  const { word, words } = ENDINGS[run.ending];
  const kind = data.texts[run.kind], message = data.texts[run.message];
  const isSaid = ["rightly", "wrongly", ""].includes(kind);
  const facts = [
    `${data.models[run.model].name} with ${data.strategies[run.strategy]}`,
    data.models[run.model].description,
    `wording ${run.wording + 1}, run ${run.run}`,
    `seed ${run.seed}`,
    duration(run.ms),
    `${grouped(run.prompt_tokens)} + ${grouped(run.answer_tokens)} tokens`,
    counted(run.evaluations, "evaluation", "evaluations"),
    run.claim === null ? "" : run.claim ? "the model claims success" : "the model claims no success",
  ];
  const expected = data.texts[task.expected], got = data.texts[run.diff];
  const answers = run.answers.map((number) => el("pre", { class: "answer" }, data.texts[number]));
  return el("div", { class: "body" },
    el("div", {},
      el("p", { class: "verdict" }, el("span", { class: `swatch ${word}` }), isSaid ? words : `${words}: ${kind.replaceAll("_", " ")}`),
      task.wordings.length > 1 ? el("p", {}, `“${task.wordings[run.wording] ?? ""}”`) : "",
      el("p", { class: "message" }, message),
      el("p", { class: "facts" }, facts.filter((fact) => fact !== "").map((fact) => el("span", {}, fact)))),
    el("div", { class: "diffs" },
      el("div", {}, el("h4", {}, "Expected"), diff(expected, task.check ? "Only the check decides." : "No edit: it is to be declined.")),
      el("div", {}, el("h4", {}, "Got"), diff(got, "No edit was made."))),
    el("div", {}, el("h4", {}, answers.length === 1 ? "What the model wrote" : "What the model wrote, in order"), answers.length > 0 ? answers : el("p", { class: "nothing" }, "Nothing.")));
}
function diff(text, otherwise) {
  if (text === "") return el("p", { class: "nothing" }, otherwise);
  let isInHunk = false;
  const lines = text.replace(/\n$/, "").split("\n").map((line) => {
    isInHunk = line.startsWith("@@") || (isInHunk && !line.startsWith("diff --git "));
    const kind = !isInHunk || line.startsWith("@@") || line.startsWith("\\") ? "dim" : { "+": "added", "-": "removed" }[line[0]];
    return el("span", { class: kind }, line);
  });
  return el("pre", { tabindex: 0 }, lines);
}
