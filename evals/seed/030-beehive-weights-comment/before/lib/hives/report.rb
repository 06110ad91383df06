# frozen_string_literal: true

require_relative "reading"

module Hives
  class Report
    def initialize(lines)
      @readings = lines.map { |line| Reading.parse(line) }.select(&:valid?)
    end

    def gains
      @readings.group_by(&:hive).transform_values do |list|
        sorted = list.sort_by(&:time)
        (sorted.last.kilos - sorted.first.kilos).round(1)
      end
    end

    def swarms
      @readings.group_by(&:hive).flat_map do |_, list|
        list.sort_by(&:time).each_cons(2).select { |before, after| after.swarmed?(before) }
      end
    end
  end
end
