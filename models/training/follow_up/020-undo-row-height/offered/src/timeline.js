import { formatDay, startOfDay } from './dates.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const COLUMN_WIDTH = 40;
const ROW_HEIGHT = 32;

const COLORS = {
  planned: '#8fa7c4',
  running: '#3c8d5a',
  blocked: '#c0392b',
  done: '#b9b9b9',
};

export class Timeline {
  constructor(root, { from, days = 42 } = {}) {
    this.root = root;
    this.from = startOfDay(from ?? new Date());
    this.days = days;
    this.items = [];
    this.listeners = new Map();
  }

  on(event, fn) {
    const list = this.listeners.get(event) ?? [];
    list.push(fn);
    this.listeners.set(event, list);
    return () => this.off(event, fn);
  }

  off(event, fn) {
    const list = this.listeners.get(event) ?? [];
    this.listeners.set(event, list.filter((other) => other === fn));
  }

  emit(event, payload) {
    for (const fn of this.listeners.get(event) ?? []) {
      fn(payload);
    }
  }

  add(item) {
    if (item.end < item.start) {
      throw new RangeError('item ends before it starts');
    }
    this.items.push({ state: 'planned', ...item });
    this.emit('change', this.items);
  }

  columnOf(date) {
    return Math.floor((startOfDay(date) - this.from) / DAY_MS);
  }

  renderHeader() {
    const head = document.createElement('div');
    head.className = 'timeline-head';
    for (let i = 0; i < this.days; i++) {
      const cell = document.createElement('span');
      cell.textContent = formatDay(new Date(this.from.getTime() + i * DAY_MS));
      cell.style.width = `${COLUMN_WIDTH}px`;
      head.append(cell);
    }
    return head;
  }

  renderItem(item, row) {
    const bar = document.createElement('div');
    const first = this.columnOf(item.start);
    const last = this.columnOf(item.end);
    bar.className = 'timeline-bar';
    bar.style.left = `${first * COLUMN_WIDTH}px`;
    bar.style.width = `${(last - first + 1) * COLUMN_WIDTH}px`;
    bar.style.top = `${row * ROW_HEIGHT}px`;
    bar.style.background = COLORS[item.state];
    bar.title = item.name;
    bar.addEventListener('click', () => this.emit('select', item));
    return bar;
  }

  render() {
    this.root.replaceChildren(this.renderHeader());
    this.items.forEach((item, row) => {
      this.root.append(this.renderItem(item, row));
    });
  }
}
