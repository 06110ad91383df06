-- The snake: a list of cells, the head first.

local Snake = {}
Snake.__index = Snake

local START_LENGTH = 4

function Snake.new(x, y)
  local cells = {}
  for i = 0, START_LENGTH - 1 do
    cells[#cells + 1] = { x = x - i, y = y }
  end
  return setmetatable({ cells = cells, dx = 1, dy = 0, growing = 0 }, Snake)
end

function Snake:turn(dx, dy)
  if dx == -self.dx and dy == -self.dy then
    return
  end
  self.dx, self.dy = dx, dy
end

function Snake:step()
  local head = self.cells[1]
  table.insert(self.cells, 1, { x = head.x + self.dx, y = head.y + self.dy })
  if self.growing > 0 then
    self.growing = self.growing - 1
  else
    table.remove(self.cells)
  end
end

function Snake:eat(amount)
  self.growing = self.growing + amount
end

function Snake:bites_itself()
  local head = self.cells[1]
  for i = 2, #self.cells do
    if self.cells[i].x == head.x and self.cells[i].y == head.y then
      return true
    end
  end
  return false
end

return Snake
