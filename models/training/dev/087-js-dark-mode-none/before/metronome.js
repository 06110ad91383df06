const ctx = new AudioContext();
let bpm = 96;
let timer = null;

function click(accent) {
  const osc = ctx.createOscillator();
  osc.frequency.value = accent ? 1320 : 880;
  osc.connect(ctx.destination);
  osc.start();
  osc.stop(ctx.currentTime + 0.03);
}

export function start(beats = 4) {
  let n = 0;
  timer = setInterval(() => click(n++ % beats === 0), 60000 / bpm);
}

export function stop() {
  clearInterval(timer);
}
