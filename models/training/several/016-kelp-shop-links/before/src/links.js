const SHOP = "https://www.kelp.example/shop";
const HELP = "https://www.kelp.example/help";

function withCampaign(url, campaign) {
  return campaign ? `${url}?c=${encodeURIComponent(campaign)}` : url;
}

export function productLink(product, campaign) {
  return withCampaign(`${SHOP}/p/${product.slug}`, campaign);
}

export function categoryLink(category, campaign) {
  return withCampaign(`${SHOP}/c/${category}`, campaign);
}

export function basketLink() {
  return `${SHOP}/basket`;
}

export function helpLink(topic) {
  return `${HELP}/${topic}`;
}
