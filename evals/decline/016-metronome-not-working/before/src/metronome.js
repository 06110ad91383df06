const MIN_BPM = 30;
const MAX_BPM = 250;

export class Metronome {
  constructor(click, bpm = 100, beats = 4) {
    this.click = click;
    this.beats = beats;
    this.beat = 0;
    this.timer = null;
    this.setBpm(bpm);
  }

  setBpm(bpm) {
    this.bpm = Math.min(MAX_BPM, Math.max(MIN_BPM, bpm));
    if (this.timer !== null) {
      this.stop();
      this.start();
    }
  }

  get interval() {
    return 60000 / this.bpm;
  }

  start() {
    if (this.timer !== null) return;
    this.beat = 0;
    this.tick();
    this.timer = setInterval(() => this.tick(), this.interval);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  tick() {
    this.click(this.beat === 0);
    this.beat = (this.beat + 1) % this.beats;
  }
}
