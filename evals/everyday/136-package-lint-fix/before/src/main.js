import { transposeLine } from "./transpose.js";

const sheet = document.querySelector("#sheet");
const original = sheet.textContent;

document.querySelector("#up").addEventListener("click", () => {
  sheet.textContent = original
    .split("\n")
    .map((line) => transposeLine(line, "2M"))
    .join("\n");
});
