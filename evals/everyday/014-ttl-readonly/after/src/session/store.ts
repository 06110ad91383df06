import { randomBytes } from "node:crypto";

export interface Session {
  id: string;
  userId: string;
  createdAt: number;
  expiresAt: number;
}

export interface SessionStore {
  create(userId: string): Promise<Session>;
  find(id: string): Promise<Session | undefined>;
  destroy(id: string): Promise<void>;
}

export class MemorySessionStore implements SessionStore {
  private readonly sessions = new Map<string, Session>();
  private readonly ttlMs: number;
  private lastSweep = 0;

  constructor(ttlMs = 30 * 60 * 1000) {
    this.ttlMs = ttlMs;
  }

  async create(userId: string): Promise<Session> {
    this.sweep();
    const now = Date.now();
    const session: Session = {
      id: randomBytes(24).toString("base64url"),
      userId,
      createdAt: now,
      expiresAt: now + this.ttlMs,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  async find(id: string): Promise<Session | undefined> {
    const session = this.sessions.get(id);
    if (!session || session.expiresAt < Date.now()) {
      return undefined;
    }
    session.expiresAt = Date.now() + this.ttlMs;
    return session;
  }

  async destroy(id: string): Promise<void> {
    this.sessions.delete(id);
  }

  private sweep(): void {
    const now = Date.now();
    if (now - this.lastSweep < 60_000) {
      return;
    }
    this.lastSweep = now;
    for (const [id, session] of this.sessions) {
      if (session.expiresAt < now) {
        this.sessions.delete(id);
      }
    }
  }
}

export class FixedSessionStore implements SessionStore {
  private ttlMs: number;
  private session?: Session;

  constructor(ttlMs: number) {
    this.ttlMs = ttlMs;
  }

  async create(userId: string): Promise<Session> {
    const now = Date.now();
    this.session = { id: "fixed", userId, createdAt: now, expiresAt: now + this.ttlMs };
    return this.session;
  }

  async find(): Promise<Session | undefined> {
    return this.session;
  }

  async destroy(): Promise<void> {
    this.session = undefined;
    this.ttlMs = 0;
  }
}
