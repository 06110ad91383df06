# frozen_string_literal: true

require "csv"

module Seedswap
  Match = Struct.new(:giver, :taker, :variety) do
    def to_s
      "#{giver} -> #{taker}: #{variety}"
    end
  end

  class Round
    def initialize(season:, limit:)
      @season = season
      @limit = limit
      @offers = Hash.new { |hash, variety| hash[variety] = [] }
      @wishes = []
    end

    def read_offers(path)
      CSV.foreach(path, headers: true) do |row|
        Integer(row["packets"]).times { @offers[row["variety"]] << row["name"] }
      end
    end

    def read_wishes(path)
      CSV.foreach(path, headers: true) { |row| @wishes << [row["name"], row["variety"]] }
    end

    def match
      taken = Hash.new(0)
      @matches = @wishes.filter_map do |name, variety|
        next if taken[name] >= @limit || @offers[variety].empty?

        taken[name] += 1
        Match.new(@offers[variety].shift, name, variety)
      end
    end

    def write(path)
      CSV.open(path, "w") { |csv| @matches.each { |match| csv << match.to_a } }
    end
  end
end
