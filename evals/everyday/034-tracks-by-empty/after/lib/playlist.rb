# frozen_string_literal: true

# Reads and writes extended M3U playlists.
class Playlist
  Track = Struct.new(:artist, :title, :seconds, :path)

  HEADER = "#EXTM3U"
  INFO = /\A#EXTINF:(-?\d+),(?:(.+?) - )?(.+)\z/

  attr_reader :tracks

  def self.load(path)
    new.tap { |playlist| playlist.parse(File.read(path)) }
  end

  def initialize
    @tracks = []
    @by_artist = {}
    @by_path = {}
  end

  def parse(text)
    info = nil
    text.each_line(chomp: true) do |line|
      if (match = INFO.match(line))
        info = match
      elsif !line.empty? && !line.start_with?("#")
        add(build(line, info))
        info = nil
      end
    end
  end

  def add(track)
    @tracks << track
    (@by_artist[track.artist] ||= []) << track
    @by_path[track.path] = track
  end

  # The track of a file, or nil.
  def track_at(path)
    return nil unless @by_path.key?(path)

    @by_path[path]
  end

  # The tracks of an artist in the order of the playlist.
  def tracks_by(artist)
    return [] unless @by_artist.key?(artist)

    @by_artist[artist].dup
  end

  # The longest track, or nil for an empty playlist.
  def longest
    return nil if @tracks.empty?

    @tracks.max_by(&:seconds)
  end

  def duration
    @tracks.sum { |track| [track.seconds, 0].max }
  end

  def to_s
    lines = [HEADER]
    @tracks.each do |track|
      lines << "#EXTINF:#{track.seconds},#{track.artist} - #{track.title}"
      lines << track.path
    end
    lines.join("\n")
  end

  private

  def build(path, info)
    return Track.new("Unknown", File.basename(path, ".*"), -1, path) unless info

    Track.new(info[2] || "Unknown", info[3], info[1].to_i, path)
  end
end
