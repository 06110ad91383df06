class Event < ApplicationRecord
  belongs_to :venue
  belongs_to :organizer, class_name: "User"
  has_many :registrations, dependent: :destroy
  has_many :guests, through: :registrations

  enum :state, { draft: 0, published: 1, cancelled: 2 }

  validates :title, presence: true, length: { maximum: 80 }
  validates :subtitle, length: { maximum: 120 }
  validates :summary, presence: true, length: { maximum: 400 }
  validates :seats, numericality: { greater_than: 0 }
  validates :starts_at, presence: true
  validate :ends_after_start

  scope :upcoming, -> { published.where(starts_at: Time.current..).order(:starts_at) }
  scope :past, -> { published.where(starts_at: ...Time.current).order(starts_at: :desc) }

  def full?
    registrations.count >= seats
  end

  def free_seats
    [seats - registrations.count, 0].max
  end

  def register(guest)
    return false if full? || !published?

    registrations.create(guest: guest).persisted?
  end

  private

  def ends_after_start
    return if ends_at.blank? || starts_at.blank?

    errors.add(:ends_at, "must be after the start") if ends_at <= starts_at
  end
end
