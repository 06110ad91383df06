require "date"

# One customer's order for one pickup day.
class Order
  MAX_LINES = 20
  STATES = %i[open baking ready collected cancelled].freeze

  Line = Struct.new(:product, :count) do
    def to_s
      "#{count} x #{product}"
    end
  end

  @store = {}
  @last_id = 0

  class << self
    attr_reader :store

    def next_id
      @last_id += 1
    end

    def find(id)
      store[id]
    end

    def on(day)
      store.values.select { |order| order.pickup == day }
    end
  end

  attr_reader :id, :customer, :pickup, :lines, :state, :errors

  def initialize(customer:, pickup:)
    @customer = customer.to_s.strip
    @pickup = pickup.is_a?(Date) ? pickup : Date.parse(pickup)
    @lines = []
    @state = :open
    @errors = []
  end

  def add(product, count)
    existing = lines.find { |line| line.product == product }
    if existing
      existing.count = count
    else
      lines << Line.new(product, count)
    end
    self
  end

  def valid?
    @errors = []
    errors << "customer is missing" if customer.empty?
    errors << "order is empty" if lines.empty?
    errors << "too many lines" if lines.size > MAX_LINES
    errors << "count must be positive" if lines.any? { |line| line.count < 1 }
    errors << "pickup is in the past" if pickup < Date.today
    errors.empty?
  end

  def advance!
    position = STATES.index(state)
    raise "order #{id} is final" if %i[collected cancelled].include?(state)

    @state = STATES[position + 1]
  end

  def cancel!
    raise "already baking" unless state == :open

    @state = :cancelled
  end

  def pieces
    lines.sum(&:count)
  end

  def save
    @id ||= self.class.next_id
    self.class.store[id] = self
  end
end
