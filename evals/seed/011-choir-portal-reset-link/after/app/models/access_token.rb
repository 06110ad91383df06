# frozen_string_literal: true

# One-time tokens that are sent to the singers by mail.
class AccessToken < ApplicationRecord
  LIFETIMES = {
    invitation: 14.days,
    password_reset: 6.hours,
    email_change: 2.days,
    rehearsal_answer: 7.days
  }.freeze

  belongs_to :singer

  validates :digest, presence: true, uniqueness: true
  validates :purpose, inclusion: { in: LIFETIMES.keys.map(&:to_s) }

  scope :usable, -> { where(used_at: nil).where("expires_at > ?", Time.current) }

  def self.issue(singer, purpose)
    secret = SecureRandom.urlsafe_base64(24)
    create!(
      singer: singer,
      purpose: purpose.to_s,
      digest: Digest::SHA256.hexdigest(secret),
      expires_at: LIFETIMES.fetch(purpose).from_now
    )
    secret
  end

  def self.redeem(secret, purpose)
    token = usable.find_by(digest: Digest::SHA256.hexdigest(secret), purpose: purpose.to_s)
    token&.touch(:used_at)
    token&.singer
  end
end
