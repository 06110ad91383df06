const COLS = 24;
const ROWS = 18;
const CELL = 20;

const DIRECTIONS = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

export class Snake {
  constructor(canvas) {
    this.context = canvas.getContext("2d");
    this.best = Number(localStorage.getItem("best") || 0);
    this.reset();
    window.addEventListener("keydown", (event) => this.turn(event.key));
  }

  reset() {
    this.body = [{ x: 5, y: 9 }, { x: 4, y: 9 }, { x: 3, y: 9 }];
    this.direction = DIRECTIONS.ArrowRight;
    this.score = 0;
    this.placeApple();
  }

  turn(key) {
    const next = DIRECTIONS[key];
    if (!next) return;
    const opposite = next.x === -this.direction.x && next.y === -this.direction.y;
    if (!opposite) this.direction = next;
  }

  placeApple() {
    do {
      this.apple = {
        x: Math.floor(Math.random() * COLS),
        y: Math.floor(Math.random() * ROWS),
      };
    } while (this.hits(this.apple));
    console.log("apple", this.apple.x, this.apple.y);
  }

  hits(cell) {
    return this.body.some((part) => part.x === cell.x && part.y === cell.y);
  }

  step() {
    const head = {
      x: this.body[0].x + this.direction.x,
      y: this.body[0].y + this.direction.y,
    };
    const outside = head.x < 0 || head.y < 0 || head.x >= COLS || head.y >= ROWS;
    if (outside || this.hits(head)) {
      this.gameOver();
      return;
    }
    this.body.unshift(head);
    if (head.x === this.apple.x && head.y === this.apple.y) {
      this.score += 10;
      this.placeApple();
    } else {
      this.body.pop();
    }
  }

  gameOver() {
    console.log(`game over, ${this.score} points`);
    if (this.score > this.best) {
      this.best = this.score;
      localStorage.setItem("best", String(this.best));
    }
    this.reset();
  }

  draw() {
    this.context.clearRect(0, 0, COLS * CELL, ROWS * CELL);
    this.context.fillStyle = "crimson";
    this.context.fillRect(this.apple.x * CELL, this.apple.y * CELL, CELL, CELL);
    this.context.fillStyle = "seagreen";
    for (const part of this.body) {
      this.context.fillRect(part.x * CELL, part.y * CELL, CELL - 1, CELL - 1);
    }
  }
}
