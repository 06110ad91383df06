module Pricing
  PRICES = {
    "baguette" => 180,
    "croissant" => 140,
    "rye loaf" => 420,
    "spelt roll" => 65,
  }.freeze

  BULK_FROM = 30
  BULK_DISCOUNT = 0.1

  module_function

  def total_cents(order)
    sum = order.lines.sum { |line| PRICES.fetch(line.product) * line.count }
    order.pieces >= BULK_FROM ? (sum * (1 - BULK_DISCOUNT)).round : sum
  end

  def format(cents)
    "%d.%02d €" % cents.divmod(100)
  end
end
