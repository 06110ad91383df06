import { clamp, approach, sign } from "./math.js";
import { Animator } from "./animator.js";
import { emit } from "./events.js";

// Everything is in pixels and seconds unless it says otherwise.
const RUN_SPEED = 210;
const RUN_ACCEL = 1400;
const RUN_FRICTION = 1800;
const AIR_ACCEL = 900;
const AIR_FRICTION = 240;

const GRAVITY = 1650;
const FALL_GRAVITY = 2100;
const MAX_FALL = 620;

const JUMP_SPEED = 520;
const JUMP_CUT = 0.45;
const COYOTE_TIME = 0.12;
const JUMP_BUFFER = 0.1;

const WALL_SLIDE_SPEED = 80;
const WALL_JUMP_X = 260;
const WALL_JUMP_Y = 480;
const WALL_STICK_TIME = 0.08;

const DASH_SPEED = 480;
const DASH_TIME = 0.14;
const DASH_COOLDOWN = 0.6;

const HURT_TIME = 0.9;
const KNOCKBACK_X = 180;
const KNOCKBACK_Y = 220;

const WIDTH = 14;
const HEIGHT = 26;
const DUCK_HEIGHT = 16;

export class Player {
  constructor(level, input) {
    this.level = level;
    this.input = input;
    this.animator = new Animator("runner", {
      idle: { frames: [0, 1, 2, 1], fps: 4 },
      run: { frames: [3, 4, 5, 6, 7, 8], fps: 14 },
      jump: { frames: [9], fps: 1 },
      fall: { frames: [10, 11], fps: 8 },
      slide: { frames: [12], fps: 1 },
      dash: { frames: [13, 14], fps: 20 },
      duck: { frames: [15], fps: 1 },
      hurt: { frames: [16, 17], fps: 10 },
    });
    this.spawn(level.start.x, level.start.y);
  }

  spawn(x, y) {
    this.x = x;
    this.y = y;
    this.vx = 0;
    this.vy = 0;
    this.facing = 1;
    this.height = HEIGHT;
    this.onGround = false;
    this.wallSide = 0;
    this.coyote = 0;
    this.buffer = 0;
    this.stick = 0;
    this.dash = 0;
    this.dashWait = 0;
    this.hurt = 0;
    this.health = 3;
    this.coins = 0;
    this.animator.play("idle");
  }

  get left() {
    return this.x - WIDTH / 2;
  }

  get right() {
    return this.x + WIDTH / 2;
  }

  get top() {
    return this.y - this.height;
  }

  get isDucking() {
    return this.height === DUCK_HEIGHT;
  }

  get isSafe() {
    return this.hurt > 0 || this.dash > 0;
  }

  update(dt) {
    this.countDown(dt);
    this.readJump();

    if (this.dash > 0) {
      this.moveBy(this.facing * DASH_SPEED * dt, 0);
    } else {
      this.duck();
      this.run(dt);
      this.fall(dt);
      this.jump();
      this.startDash();
      this.moveBy(this.vx * dt, this.vy * dt);
    }

    this.checkGround();
    this.checkWalls();
    this.touchThings();
    this.animate(dt);
  }

  countDown(dt) {
    this.coyote = Math.max(0, this.coyote - dt);
    this.buffer = Math.max(0, this.buffer - dt);
    this.stick = Math.max(0, this.stick - dt);
    this.dash = Math.max(0, this.dash - dt);
    this.dashWait = Math.max(0, this.dashWait - dt);
    this.hurt = Math.max(0, this.hurt - dt);
  }

  readJump() {
    if (this.input.pressed("jump")) {
      this.buffer = JUMP_BUFFER;
    }
    if (this.input.released("jump") && this.vy < 0) {
      this.vy *= JUMP_CUT;
    }
  }

  duck() {
    const wants = this.onGround && this.input.down("down");
    if (wants && !this.isDucking) {
      this.height = DUCK_HEIGHT;
    } else if (!wants && this.isDucking && this.hasRoomToStand()) {
      this.height = HEIGHT;
    }
  }

  hasRoomToStand() {
    const top = this.y - HEIGHT;
    return (
      !this.level.solidAt(this.left + 1, top) &&
      !this.level.solidAt(this.right - 1, top)
    );
  }

  run(dt) {
    if (this.stick > 0) return;
    let wish = 0;
    if (this.input.down("left")) wish -= 1;
    if (this.input.down("right")) wish += 1;
    if (this.isDucking) wish = 0;

    if (wish !== 0) {
      this.facing = wish;
      const accel = this.onGround ? RUN_ACCEL : AIR_ACCEL;
      this.vx = approach(this.vx, wish * RUN_SPEED, accel * dt);
    } else {
      const friction = this.onGround ? RUN_FRICTION : AIR_FRICTION;
      this.vx = approach(this.vx, 0, friction * dt);
    }
  }

  fall(dt) {
    if (this.onGround) return;
    const gravity = this.vy > 0 ? FALL_GRAVITY : GRAVITY;
    this.vy = Math.min(MAX_FALL, this.vy + gravity * dt);
    const sliding = this.wallSide !== 0 && sign(this.vx) === this.wallSide;
    if (sliding && this.vy > WALL_SLIDE_SPEED) {
      this.vy = WALL_SLIDE_SPEED;
    }
  }

  jump() {
    if (this.buffer === 0) return;
    if (this.onGround || this.coyote > 0) {
      this.vy = -JUMP_SPEED;
      this.onGround = false;
      this.coyote = 0;
      this.buffer = 0;
      emit("sound", "jump");
    } else if (this.wallSide !== 0) {
      this.vx = -this.wallSide * WALL_JUMP_X;
      this.vy = -WALL_JUMP_Y;
      this.facing = -this.wallSide;
      this.stick = WALL_STICK_TIME;
      this.buffer = 0;
      emit("sound", "walljump");
      emit("dust", { x: this.x + this.wallSide * 7, y: this.y - 10 });
    }
  }

  startDash() {
    if (!this.input.pressed("dash") || this.dashWait > 0) return;
    this.dash = DASH_TIME;
    this.dashWait = DASH_COOLDOWN;
    this.vx = this.facing * RUN_SPEED;
    this.vy = 0;
    emit("sound", "dash");
    emit("shake", 2);
  }

  moveBy(dx, dy) {
    this.x += dx;
    if (dx !== 0) this.pushOutSideways(sign(dx));
    this.y += dy;
    if (dy !== 0) this.pushOutVertically(sign(dy));
    this.x = clamp(this.x, WIDTH / 2, this.level.width - WIDTH / 2);
  }

  pushOutSideways(direction) {
    const edge = direction > 0 ? this.right : this.left;
    for (let y = this.top + 1; y < this.y; y += 8) {
      if (this.level.solidAt(edge, y)) {
        const tile = this.level.tileSize;
        const column = Math.floor(edge / tile);
        this.x =
          direction > 0
            ? column * tile - WIDTH / 2 - 0.01
            : (column + 1) * tile + WIDTH / 2;
        this.vx = 0;
        return;
      }
    }
  }

  pushOutVertically(direction) {
    const edge = direction > 0 ? this.y : this.top;
    for (const x of [this.left + 1, this.x, this.right - 1]) {
      if (this.level.solidAt(x, edge)) {
        const tile = this.level.tileSize;
        const row = Math.floor(edge / tile);
        if (direction > 0) {
          this.land(row * tile);
        } else {
          this.y = (row + 1) * tile + this.height;
          this.vy = 0;
        }
        return;
      }
    }
  }

  land(y) {
    const hard = this.vy > MAX_FALL * 0.8;
    this.y = y - 0.01;
    this.vy = 0;
    if (hard) {
      emit("sound", "thud");
      emit("dust", { x: this.x, y: this.y });
      emit("shake", 3);
    }
  }

  checkGround() {
    const was = this.onGround;
    this.onGround =
      this.vy >= 0 &&
      (this.level.solidAt(this.left + 1, this.y + 1) ||
        this.level.solidAt(this.right - 1, this.y + 1));
    if (was && !this.onGround && this.vy >= 0) {
      this.coyote = COYOTE_TIME;
    }
  }

  checkWalls() {
    this.wallSide = 0;
    if (this.onGround) return;
    const middle = this.y - this.height / 2;
    if (this.level.solidAt(this.right + 1, middle)) this.wallSide = 1;
    else if (this.level.solidAt(this.left - 1, middle)) this.wallSide = -1;
  }

  touchThings() {
    for (const thing of this.level.thingsNear(this.x, this.y, 40)) {
      if (!this.overlaps(thing)) continue;
      switch (thing.kind) {
        case "coin":
          this.coins += 1;
          this.level.remove(thing);
          emit("sound", "coin");
          break;
        case "heart":
          if (this.health < 3) {
            this.health += 1;
            this.level.remove(thing);
            emit("sound", "heart");
          }
          break;
        case "spring":
          this.vy = -JUMP_SPEED * 1.4;
          emit("sound", "spring");
          break;
        case "spike":
        case "pigeon":
          this.takeHit(thing);
          break;
        case "door":
          emit("level-done", { coins: this.coins, health: this.health });
          break;
      }
    }
  }

  overlaps(thing) {
    return (
      this.left < thing.x + thing.width &&
      this.right > thing.x &&
      this.top < thing.y + thing.height &&
      this.y > thing.y
    );
  }

  takeHit(thing) {
    if (this.isSafe) return;
    this.health -= 1;
    this.hurt = HURT_TIME;
    this.vx = sign(this.x - thing.x) * KNOCKBACK_X;
    this.vy = -KNOCKBACK_Y;
    emit("sound", "ouch");
    if (this.health <= 0) emit("game-over", { coins: this.coins });
  }

  animate(dt) {
    let name = "idle";
    if (this.hurt > HURT_TIME - 0.3) name = "hurt";
    else if (this.dash > 0) name = "dash";
    else if (!this.onGround && this.wallSide !== 0) name = "slide";
    else if (!this.onGround) name = this.vy < 0 ? "jump" : "fall";
    else if (this.isDucking) name = "duck";
    else if (Math.abs(this.vx) > 10) name = "run";
    this.animator.play(name);
    this.animator.update(dt);
  }

  draw(ctx, camera) {
    const blink = this.hurt > 0 && Math.floor(this.hurt * 12) % 2 === 0;
    if (blink) return;
    ctx.save();
    ctx.translate(Math.round(this.x - camera.x), Math.round(this.y - camera.y));
    ctx.scale(this.facing, 1);
    this.animator.draw(ctx, -16, -32);
    ctx.restore();
  }
}
