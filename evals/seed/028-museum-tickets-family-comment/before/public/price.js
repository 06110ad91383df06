const form = document.querySelector("form");
const output = document.querySelector("#price");

async function update() {
  const response = await fetch("/price", { method: "POST", body: new FormData(form) });
  const { cents } = await response.json();
  output.textContent = `€ ${(cents / 100).toFixed(2)}`;
}

form.addEventListener("input", update);
update();
