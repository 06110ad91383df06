const cache = new Map();

async function loadStars(maxMagnitude) {
  const response = await fetch(`/data/stars-${maxMagnitude}.json`);
  const rows = await response.json();
  return rows.map(([ra, dec, magnitude]) => ({ ra, dec, magnitude }));
}

async function loadLines(name) {
  if (cache.has(name)) return cache.get(name);
  const response = await fetch(`/data/lines/${name}.json`);
  if (!response.ok) return [];
  const lines = await response.json();
  cache.set(name, lines);
  return lines;
}

function project(star, view) {
  const d = star.ra - view.ra;
  const c =
    Math.sin(view.dec) * Math.sin(star.dec) +
    Math.cos(view.dec) * Math.cos(star.dec) * Math.cos(d);
  if (c < 0) return null;
  return {
    x: view.scale * Math.cos(star.dec) * Math.sin(d),
    y: view.scale * (Math.cos(view.dec) * Math.sin(star.dec) - Math.sin(view.dec) * Math.cos(star.dec) * Math.cos(d)),
  };
}

function drawStar(ctx, star, view) {
  const point = project(star, view);
  if (!point) return;
  ctx.beginPath();
  ctx.arc(point.x, point.y, Math.max(0.4, 3 - star.magnitude / 2), 0, 2 * Math.PI);
  ctx.fill();
}

export async function drawSky(ctx, view, names) {
  const stars = await loadStars(view.scale > 600 ? 7 : 5);
  for (const star of stars) drawStar(ctx, star, view);
  for (const name of names) {
    for (const [from, to] of await loadLines(name)) {
      const a = project(from, view);
      const b = project(to, view);
      if (!a || !b) continue;
      ctx.beginPath();
      ctx.moveTo(a.x, a.y);
      ctx.lineTo(b.x, b.y);
      ctx.stroke();
    }
  }
}
