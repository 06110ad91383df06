class Recipe < ApplicationRecord
  belongs_to :cook
  has_many :steps, -> { order(:position) }, dependent: :destroy

  validates :title, presence: true
  validates :minutes, numericality: { greater_than: 0 }

  scope :quick, -> { where("minutes <= ?", 20) }

  def label
    "#{title} (#{minutes} min)"
  end
end
