export interface Note {
  readonly id: string;
  title: string;
  body: string;
  tags: string[];
  pinned?: boolean;
}

export function preview(note: Note, length = 80): string {
  const text = note.body.replace(/\s+/g, ' ').trim();
  return text.length > length ? text.slice(0, length - 1) + '…' : text;
}
