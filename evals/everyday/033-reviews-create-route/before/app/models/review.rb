class Review < ApplicationRecord
  belongs_to :room

  validates :stars, inclusion: { in: 1..5 }
  validates :text, length: { maximum: 2000 }
end
