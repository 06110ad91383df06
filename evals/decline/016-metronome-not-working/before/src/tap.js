const KEEP = 5;
const PAUSE_MS = 2000;

/** Finds the tempo from taps on a key. */
export class TapTempo {
  constructor(now = () => performance.now()) {
    this.now = now;
    this.taps = [];
  }

  tap() {
    const time = this.now();
    const last = this.taps.at(-1);
    if (last !== undefined && time - last > PAUSE_MS) {
      this.taps = [];
    }
    this.taps.push(time);
    this.taps = this.taps.slice(-KEEP);
    return this.bpm();
  }

  bpm() {
    if (this.taps.length < 2) return null;
    const span = this.taps.at(-1) - this.taps[0];
    return Math.round((60000 * (this.taps.length - 1)) / span);
  }
}
