require "json"

seen = Set.new
ARGF.each_line do |line|
  record = JSON.parse(line)
  next unless seen.add?(record["id"])

  puts line
end
