const plan = document.querySelector("#plan");
const socket = io();

function mark(seat, taken) {
  const cell = plan.querySelector(`[data-seat="${seat}"]`);
  if (!cell) return;
  cell.classList.toggle("taken", taken);
  cell.setAttribute("aria-disabled", String(taken));
}

socket.on("seat:taken", ({ seat }) => mark(seat, true));
socket.on("seat:free", ({ seat }) => mark(seat, false));

plan.addEventListener("click", (event) => {
  const cell = event.target.closest("[data-seat]");
  if (!cell || cell.classList.contains("taken")) return;
  socket.emit("take", { seat: cell.dataset.seat });
});
