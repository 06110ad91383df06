export type Row = Record<string, string | number>;

function escapeCell(cell: string | number): string {
  const s = String(cell);
  return /[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s;
}

export function toCsv(rows: Row[]): string {
  if (rows.length === 0) return '';
  const head = Object.keys(rows[0]);
  const lines = rows.map((r) => head.map((h) => escapeCell(r[h])).join(','));
  return [head.join(','), ...lines].join('\n') + '\n';
}
