"use strict";

const HOLD_MS = 4 * 60 * 1000;

/** Keeps the seats of one show and tells all viewers about changes. */
class Hall {
  constructor(io, show) {
    this.room = io.to(`show-${show}`);
    this.taken = new Map();
  }

  take(seat, visitor) {
    if (this.taken.has(seat)) return false;
    const timer = setTimeout(() => this.free(seat), HOLD_MS);
    this.taken.set(seat, { visitor, timer });
    this.room.emit("seat:taken", { seat });
    return true;
  }

  free(seat) {
    const entry = this.taken.get(seat);
    if (!entry) return;
    clearTimeout(entry.timer);
    this.taken.delete(seat);
    this.room.emit("seat:free", { seat });
  }
}

module.exports = { Hall };
