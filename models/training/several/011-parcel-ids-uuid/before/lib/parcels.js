import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const FILE = process.env.PARCELS ?? "parcels.json";

let nextId = 1;

export async function load() {
  try {
    return JSON.parse(await readFile(FILE, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

/** A short code that the receiver shows at the counter. */
export function pickupCode(parcel) {
  const hash = createHash("sha256").update(`${parcel.id}:${parcel.receiver}`);
  return hash.digest("hex").slice(0, 6).toUpperCase();
}

export async function register(receiver, shelf) {
  const parcels = await load();
  const parcel = {
    id: nextId++,
    receiver,
    shelf,
    arrived: new Date().toISOString(),
  };
  parcels.push(parcel);
  await writeFile(FILE, JSON.stringify(parcels, null, 2));
  return parcel;
}
