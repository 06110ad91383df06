const VISIBLE_MS = 4000;
const FADE_MS = 300;

const host = document.getElementById("toasts")!;

/** Show a short message at the edge of the screen. */
export function toast(text: string): void {
  const box = document.createElement("div");
  box.className = "toast";
  box.textContent = text;
  host.append(box);
  setTimeout(() => {
    box.classList.add("fading");
    setTimeout(() => box.remove(), FADE_MS);
  }, VISIBLE_MS);
}
