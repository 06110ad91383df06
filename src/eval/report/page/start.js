// What the reader chooses, and the start.

// Choices of the reader that are kept; where nothing can be kept, they last as long as the page.
function keep(name, value) {
  try { localStorage.setItem(`slotwright-${name}`, value); } catch { /* no storage */ }
}
function kept(name, otherwise) {
  try { return localStorage.getItem(`slotwright-${name}`) ?? otherwise; } catch { return otherwise; }
}
function press(id, value) {
  for (const button of byId(id).children) button.setAttribute("aria-pressed", String(button.value === value));
}
function useTheme(theme) {
  theme === "auto" ? delete document.documentElement.dataset.theme : (document.documentElement.dataset.theme = theme);
  press("theme", theme);
}
function useView(view) {
  byId("list").dataset.view = view;
  press("view", view);
}
function onPress(id, use) {
  for (const button of byId(id).children) button.addEventListener("click", () => { keep(id, button.value); use(button.value); });
}

function render() {
  const matchers = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, matcher(name)]));
  const search = searched();
  const aboutTasks = Object.keys(FILTERS).filter((name) => !FILTERS[name].isOfRun);
  const charted = data.rows.filter((run) => aboutTasks.every((name) => matchers[name](run)));
  showFilters(matchers, search);
  showCharts(charted);
  showList(data.rows.filter((run) => Object.values(matchers).every((matches) => matches(run)) && search(run)));
  byId("clear").hidden = ![...state.keys()].some((name) => Object.hasOwn(FILTERS, name) || name === "text");
}

makeFilters();
onPress("theme", useTheme);
onPress("view", useView);
useView(kept("view", "beside"));
byId("filter-box").open = innerWidth > 736;
byId("clear").addEventListener("click", () => {
  byId("search").value = "";
  go(Object.fromEntries([...Object.keys(FILTERS), "text"].map((name) => [name, ""])));
});
byId("order").addEventListener("change", (event) => go({ order: event.target.value === "suite" ? "" : event.target.value }));
byId("more").addEventListener("click", showMore);
byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("tasks").focus(); });
new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) showMore(); }, { rootMargin: "400px" }).observe(byId("more"));
addEventListener("beforeprint", () => { byId("tables").open = true; });
addEventListener("hashchange", readAddress);
readAddress();
if (state.has("task")) byId("tasks").scrollIntoView();
const theme = state.get("theme");
useTheme(["light", "dark"].includes(theme) ? theme : kept("theme", "auto"));
