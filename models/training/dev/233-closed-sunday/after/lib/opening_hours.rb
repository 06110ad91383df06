require "date"

class OpeningHours
  CLOSED = %w[monday sunday].freeze

  def initialize(from: 6, to: 18)
    @from = from
    @to = to
  end

  def open_on?(date)
    !CLOSED.include?(date.strftime("%A").downcase)
  end

  def open_at?(time)
    open_on?(time.to_date) && time.hour >= @from && time.hour < @to
  end
end
