export interface Trail {
  name: string;
  km: number;
}

export function search(trails: Trail[], text: string, limit: number): Trail[] {
  return trails.filter((trail) => trail.name.includes(text)).slice(0, limit);
}
