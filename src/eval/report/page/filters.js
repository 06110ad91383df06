// The filters. They live in the address after #, so that a view can be linked.

// Verdicts that are several.
const GROUPS = {
  passed: (run) => run.passed,
  not_passed: (run) => !run.passed,
  declined: (run) => ["declined_rightly", "declined_wrongly"].includes(ENDINGS[run.ending].word),
};
const FILTERS = {
  model: { label: "Model", of: (run) => data.models[run.model].name },
  strategy: { label: "Strategy", of: (run) => data.strategies[run.strategy] },
  suite: { label: "Suite", of: (run) => data.tasks[run.task].suite },
  level: { label: "Level", of: (run) => data.tasks[run.task].level },
  category: { label: "Category", of: (run) => data.tasks[run.task].category },
  language: { label: "Language", of: (run) => data.tasks[run.task].language },
  verdict: { label: "Verdict", of: (run) => ENDINGS[run.ending].word, isOfRun: true },
  kind: { label: "Kind", of: (run) => data.texts[run.kind], isOfRun: true },
  task: { label: "Task", of: (run) => data.tasks[run.task].name, isOfRun: true, isHidden: true },
};
const byNumberOrLetter = (a, b) => a.localeCompare(b, "en", { numeric: true });
for (const [name, filter] of Object.entries(FILTERS)) {
  const values = new Set(data.rows.map(filter.of));
  values.delete("");
  filter.values = [...values];
  if (name === "model") filter.values = data.models.map((model) => model.name);
  else if (name === "strategy") filter.values = data.strategies;
  else if (name === "verdict") filter.values = [...ENDINGS.map((ending) => ending.word).filter((word) => values.has(word)), ...Object.keys(GROUPS)];
  else filter.values.sort(byNumberOrLetter);
}
// What the filters are now, by name; as in the address.
const state = new URLSearchParams();
// Names stay as they are.
const inWords = (name, value) => (["verdict", "kind"].includes(name) ? value.replaceAll("_", " ") : value);

function matcher(name) {
  const wanted = state.get(name);
  if (!wanted) return () => true;
  if (name === "verdict" && Object.hasOwn(GROUPS, wanted)) return GROUPS[wanted];
  return (run) => FILTERS[name].of(run) === wanted;
}

// Texts are there once each, so they are searched once each.
const lowered = data.texts.map((text) => text.toLowerCase());
const loweredTasks = data.tasks.map((task) => [task.name, ...task.wordings, task.check ?? ""].join("\n").toLowerCase());
function searched() {
  const wanted = (state.get("text") ?? "").trim().toLowerCase();
  if (!wanted) return () => true;
  const texts = lowered.map((text) => text.includes(wanted));
  const tasks = loweredTasks.map((text) => text.includes(wanted));
  return (run) => tasks[run.task] || texts[data.tasks[run.task].expected] || [run.kind, run.message, run.diff, ...run.answers].some((number) => texts[number]);
}

// An address that sets some filters and leaves the others.
function addressWith(changes) {
  const params = new URLSearchParams(state);
  for (const [name, value] of Object.entries(changes)) value ? params.set(name, value) : params.delete(name);
  return `#${params}`;
}
function go(changes) {
  const address = addressWith(changes);
  history.replaceState(null, "", address === "#" ? location.pathname + location.search : address);
  readAddress();
}
function readAddress() {
  for (const name of [...state.keys()]) state.delete(name);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (value && (Object.hasOwn(FILTERS, name) || ["text", "order", "theme"].includes(name))) state.set(name, value);
  }
  render();
}

function makeFilters() {
  for (const [name, filter] of Object.entries(FILTERS)) {
    if (filter.isHidden) continue;
    filter.select = el("select", { onchange: (event) => go({ [name]: event.target.value }) });
    filter.holder = el("label", {}, filter.label, filter.select);
    byId("selects").append(filter.holder);
  }
  const search = el("input", { type: "search", id: "search", placeholder: "task, answer, diff, message", autocomplete: "off" });
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => go({ text: search.value }), 200);
  });
  byId("selects").append(el("label", {}, "Text", search));
}
function showFilters(matchers, search) {
  for (const [name, filter] of Object.entries(FILTERS)) {
    if (filter.isHidden) continue;
    // How many runs each choice would leave, the other filters being as they are.
    const counts = new Map();
    const others = Object.keys(FILTERS).filter((other) => other !== name);
    for (const run of data.rows) {
      if (!others.every((other) => matchers[other](run)) || !search(run)) continue;
      const groups = name === "verdict" ? Object.keys(GROUPS).filter((group) => GROUPS[group](run)) : [];
      for (const value of [filter.of(run), ...groups]) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const now = state.get(name) ?? "";
    // A value that nothing has, from an address: it is shown, and matches nothing.
    const values = now && !filter.values.includes(now) ? [...filter.values, now] : filter.values;
    filter.select.replaceChildren(
      el("option", { value: "" }, "all"),
      ...values.map((value) => el("option", { value, selected: value === now }, inWords(name, value) + (value === now ? "" : ` (${grouped(counts.get(value) ?? 0)})`))),
    );
    filter.holder.classList.toggle("is-set", now !== "");
  }
  const searchBox = byId("search");
  if (document.activeElement !== searchBox) searchBox.value = state.get("text") ?? "";
  searchBox.parentElement.classList.toggle("is-set", state.has("text"));
}
