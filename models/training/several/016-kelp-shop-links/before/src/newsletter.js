import { basketLink, categoryLink, helpLink, productLink } from "./links.js";

function row(product, campaign) {
  const price = (product.cents / 100).toFixed(2);
  return `<li><a href="${productLink(product, campaign)}">${product.name}</a> ${price} €</li>`;
}

/** The newsletter as HTML. */
export function newsletter(issue) {
  const rows = issue.products.map((product) => row(product, issue.campaign));
  return [
    `<h1>${issue.title}</h1>`,
    `<ul>${rows.join("")}</ul>`,
    `<p><a href="${categoryLink("algae", issue.campaign)}">All algae</a></p>`,
    `<p><a href="${basketLink()}">Your basket</a></p>`,
    `<p><a href="${helpLink("unsubscribe")}">Unsubscribe</a></p>`,
  ].join("\n");
}
