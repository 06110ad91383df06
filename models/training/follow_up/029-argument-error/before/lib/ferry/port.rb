module Ferry
  # A place where ferries call.
  class Port
    attr_reader :name, :berths

    def initialize(name, berths = 1)
      @name = name
      @berths = berths
    end

    def to_s
      "#{name} (#{berths})"
    end
  end
end
