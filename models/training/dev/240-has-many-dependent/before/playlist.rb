class Playlist < ApplicationRecord
  belongs_to :owner, class_name: "Member"
  has_many :entries, -> { order(:position) }
  has_many :songs, through: :entries

  validates :title, presence: true, length: { maximum: 80 }

  scope :shared, -> { where(shared: true) }

  def duration
    songs.sum(:seconds)
  end
end
