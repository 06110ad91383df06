import type { Wreck } from "./types";

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 200;

export interface WreckQuery {
  text?: string;
  maxDepth?: number;
  page?: number;
  pageSize?: number;
}

function matches(wreck: Wreck, query: WreckQuery): boolean {
  if (query.maxDepth !== undefined && wreck.depth > query.maxDepth) return false;
  if (!query.text) return true;
  return wreck.name.toLowerCase().includes(query.text.toLowerCase());
}

export function search(wrecks: Wreck[], query: WreckQuery): Wreck[] {
  const size = Math.min(query.pageSize ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const start = ((query.page ?? 1) - 1) * size;
  return wrecks
    .filter((wreck) => matches(wreck, query))
    .sort((a, b) => a.sunk - b.sunk)
    .slice(start, start + size);
}
