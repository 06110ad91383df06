local Snake = require("snake")

local CELL = 16
local SPEED = 8
local snake, wait

local keys = {
  up = { 0, -1 },
  down = { 0, 1 },
  left = { -1, 0 },
  right = { 1, 0 },
}

function love.load()
  love.window.setTitle("Snake")
  snake = Snake.new(12, 10)
  wait = 0
end

function love.keypressed(key)
  local direction = keys[key]
  if direction then
    snake:turn(direction[1], direction[2])
  end
end

function love.update(dt)
  wait = wait + dt
  if wait >= 1 / SPEED then
    wait = 0
    snake:step()
  end
end

function love.draw()
  for _, cell in ipairs(snake.cells) do
    love.graphics.rectangle("fill", cell.x * CELL, cell.y * CELL, CELL - 1, CELL - 1)
  end
end
