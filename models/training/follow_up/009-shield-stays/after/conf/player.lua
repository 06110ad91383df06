local Player = {}
Player.__index = Player

function Player.new(x, y)
  return setmetatable({
    x = x,
    y = y,
    speed = 220,
    lives = 5,
    shield = 3,
    cooldown = 0,
  }, Player)
end

function Player:update(dt)
  self.cooldown = math.max(0, self.cooldown - dt)
  if love.keyboard.isDown("left") then self.x = self.x - self.speed * dt end
  if love.keyboard.isDown("right") then self.x = self.x + self.speed * dt end
end

return Player
