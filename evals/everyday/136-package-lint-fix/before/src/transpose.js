import { Chord } from "tonal";

/** Moves every chord of a line by an interval such as "2M". */
export function transposeLine(line, interval) {
  return line
    .split(/(\s+)/)
    .map((part) => (part.trim() ? Chord.transpose(part, interval) : part))
    .join("");
}
