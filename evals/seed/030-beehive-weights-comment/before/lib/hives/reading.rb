# frozen_string_literal: true

require "time"

module Hives
  class Reading
    attr_reader :hive, :time, :kilos, :celsius

    def initialize(hive:, time:, kilos:, celsius:)
      @hive = hive
      @time = time
      @kilos = kilos
      @celsius = celsius
    end

    def self.parse(line)
      hive, time, kilos, celsius = line.strip.split(",")
      new(
        hive: hive,
        time: Time.iso8601(time),
        kilos: Float(kilos),
        celsius: Float(celsius)
      )
    end

    def valid?
      celsius > 0 && kilos.between?(5, 120)
    end

    # A lost swarm weighs about two kilos.
    def swarmed?(earlier)
      earlier.hive == hive && earlier.kilos - kilos > 1.5
    end

    def <=>(other)
      time <=> other.time
    end
  end
end
