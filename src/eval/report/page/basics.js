// The data, elements, and numbers. What models and files say goes into the page as text only: never as markup, a style or
// an address.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
// What tells endings apart without colours.
const SYMBOLS = { right: "✓", declined_rightly: "∅", judgment: "J", declined_wrongly: "D", mechanics: "M", truncated: "…", timeout: "t" };
const ENDINGS = data.endings.map(([word, words]) => ({ word, words, symbol: SYMBOLS[word] }));

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}
const el = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

// The same interval as in the tables: Wilson, 95 %.
function interval(passed, of) {
  if (of === 0) return [0, 1];
  const z = 1.959963984540054, rate = passed / of, scale = 1 + (z * z) / of;
  const center = rate + (z * z) / (2 * of);
  const radius = z * Math.sqrt((rate * (1 - rate)) / of + (z * z) / (4 * of * of));
  return [passed === 0 ? 0 : (center - radius) / scale, passed === of ? 1 : (center + radius) / scale];
}
function quantile(sorted, share) {
  const at = (sorted.length - 1) * share, below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const grouped = (number) => Math.round(number).toLocaleString("en");
const counted = (number, one, several) => `${grouped(number)} ${number === 1 ? one : several}`;
function duration(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60000).toFixed(1)} min`;
}

// A task is passed if more than half of its runs are: a tie is not.
function tasksPassed(runs) {
  const tasks = new Map();
  for (const run of runs) {
    const task = tasks.get(run.task) ?? { passed: 0, of: 0 };
    task.of += 1;
    task.passed += run.passed;
    tasks.set(run.task, task);
  }
  return { passed: [...tasks.values()].filter((task) => 2 * task.passed > task.of).length, of: tasks.size };
}

// Models with strategies, in the order in which they were named.
function columnsOf(runs) {
  const columns = new Map();
  for (const run of runs) {
    const key = run.model * data.strategies.length + run.strategy;
    if (!columns.has(key)) columns.set(key, { key, model: run.model, strategy: run.strategy, runs: [] });
    columns.get(key).runs.push(run);
  }
  return [...columns.values()].sort((a, b) => a.key - b.key);
}
const modelOf = (column) => data.models[column.model].name;
const strategyOf = (column) => data.strategies[column.strategy];
