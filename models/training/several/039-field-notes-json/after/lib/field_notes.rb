# frozen_string_literal: true

require "csv"
require "fileutils"
require "json"

# Notes from the field, one per find.
class FieldNotes
  EXPORT = "notes.json"

  Note = Struct.new(:place, :species, :text, keyword_init: true)

  def initialize(path)
    @notes = CSV.read(path, headers: true).map do |row|
      Note.new(place: row["place"], species: row["species"], text: row["text"])
    end
  end

  def at(place)
    @notes.select { |note| note.place == place }
  end

  # Write all notes to the folder; returns the path.
  def export(folder)
    FileUtils.mkdir_p(folder)
    path = File.join(folder, EXPORT)
    plain = @notes.map { |note| note.to_h.transform_keys(&:to_s) }
    File.write(path, JSON.pretty_generate(plain))
    path
  end
end
