export interface Trail {
  name: string;
  km: number;
}

export function search(trails: Trail[], text: string): Trail[] {
  return trails.filter((trail) => trail.name.includes(text));
}
