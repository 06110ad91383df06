import type { Agent, ChatMessage, Visitor } from "./types";
import { Clock } from "../util/clock";
import { Emitter } from "../util/emitter";
import { Transport, TransportError } from "../net/transport";

export type SessionState =
  | "idle"
  | "connecting"
  | "waiting"
  | "talking"
  | "offline"
  | "closed";

export interface SessionEvents {
  state: SessionState;
  message: ChatMessage;
  notice: string;
  typing: boolean;
  agent: Agent | null;
}

export interface OfficeHours {
  timezone: string;
  opens: number;
  closes: number;
  days: number[];
}

export interface SessionOptions {
  hours: OfficeHours;
  maxLength: number;
  idleMinutes: number;
  allowFiles: boolean;
}

interface Pending {
  message: ChatMessage;
  attempts: number;
  timer: number | null;
}

const DEFAULTS: SessionOptions = {
  hours: { timezone: "Europe/Dublin", opens: 9, closes: 17, days: [1, 2, 3, 4, 5] },
  maxLength: 2000,
  idleMinutes: 20,
  allowFiles: true,
};

const RETRY_DELAYS = [1000, 3000, 10000];
const TYPING_PAUSE = 4000;
const FILE_LIMIT = 5 * 1024 * 1024;
const FILE_TYPES = ["image/png", "image/jpeg", "application/pdf", "text/plain"];

export class ChatSession extends Emitter<SessionEvents> {
  private state: SessionState = "idle";
  private agent: Agent | null = null;
  private history: ChatMessage[] = [];
  private pending = new Map<string, Pending>();
  private typingTimer: number | null = null;
  private idleTimer: number | null = null;
  private readonly options: SessionOptions;
  private sequence = 0;

  constructor(
    private readonly visitor: Visitor,
    private readonly transport: Transport,
    private readonly clock: Clock,
    options: Partial<SessionOptions> = {},
  ) {
    super();
    this.options = { ...DEFAULTS, ...options };
    transport.on("message", (message) => this.receive(message));
    transport.on("agent", (agent) => this.assign(agent));
    transport.on("position", (place) => this.announcePosition(place));
    transport.on("typing", (active) => this.emit("typing", active));
    transport.on("lost", () => this.connectionLost());
    transport.on("restored", () => this.connectionRestored());
  }

  get currentState(): SessionState {
    return this.state;
  }

  get messages(): readonly ChatMessage[] {
    return this.history;
  }

  get unsentCount(): number {
    return this.pending.size;
  }

  async open(topic: string): Promise<void> {
    if (this.state !== "idle" && this.state !== "closed") return;
    if (!this.isOpen()) {
      this.enter("offline");
      this.notice("We're back at 9 in the morning.");
      return;
    }
    this.enter("connecting");
    try {
      await this.transport.connect({
        visitor: this.visitor.id,
        name: this.visitor.name,
        topic,
        page: this.visitor.page,
      });
      this.enter("waiting");
      this.notice("Hello! Someone will be with you soon.");
      this.restartIdleTimer();
    } catch (error) {
      this.enter("offline");
      if (error instanceof TransportError && error.code === 429) {
        this.notice("There are too many chats at the moment, please try again later.");
      } else {
        this.notice("We can't be reached right now.");
      }
    }
  }

  async close(reason: "visitor" | "idle" = "visitor"): Promise<void> {
    if (this.state === "closed" || this.state === "idle") return;
    this.stopTimers();
    if (reason === "idle") {
      this.notice("This chat was closed because nobody wrote anything for a while.");
    } else {
      this.notice("You have left the chat.");
    }
    for (const entry of this.pending.values()) {
      if (entry.timer !== null) this.clock.cancel(entry.timer);
    }
    this.pending.clear();
    this.agent = null;
    this.enter("closed");
    await this.transport.disconnect(reason);
  }

  send(text: string): ChatMessage | null {
    const trimmed = text.trim();
    if (trimmed === "") return null;
    if (this.state !== "talking" && this.state !== "waiting") {
      this.notice("This chat is over.");
      return null;
    }
    if (trimmed.length > this.options.maxLength) {
      this.notice(`A message can have up to ${this.options.maxLength} characters.`);
      return null;
    }
    const message: ChatMessage = {
      id: this.nextId(),
      from: "visitor",
      text: trimmed,
      sentAt: this.clock.now(),
      status: "sending",
    };
    this.add(message);
    void this.deliver({ message, attempts: 0, timer: null });
    return message;
  }

  async sendFile(file: File): Promise<void> {
    if (!this.options.allowFiles) {
      this.notice("Files can't be sent in this chat.");
      return;
    }
    if (file.size > FILE_LIMIT) {
      this.notice("This file is too large.");
      return;
    }
    if (!FILE_TYPES.includes(file.type)) {
      this.notice("Only pictures, PDF and text files can be sent.");
      return;
    }
    try {
      const url = await this.transport.upload(file);
      this.add({
        id: this.nextId(),
        from: "visitor",
        text: file.name,
        attachment: url,
        sentAt: this.clock.now(),
        status: "sent",
      });
    } catch {
      this.notice("The file could not be sent.");
    }
  }

  visitorIsTyping(): void {
    if (this.state !== "talking") return;
    if (this.typingTimer === null) this.transport.typing(true);
    else this.clock.cancel(this.typingTimer);
    this.typingTimer = this.clock.after(TYPING_PAUSE, () => {
      this.typingTimer = null;
      this.transport.typing(false);
    });
    this.restartIdleTimer();
  }

  async rate(stars: number, comment: string): Promise<boolean> {
    if (stars < 1 || stars > 5) return false;
    try {
      await this.transport.rate({ stars, comment: comment.slice(0, 500) });
      this.notice("Thank you for your rating.");
      return true;
    } catch {
      return false;
    }
  }

  transcript(): string {
    return this.history
      .filter((message) => message.from !== "system")
      .map((message) => {
        const who = message.from === "visitor" ? this.visitor.name : message.agentName ?? "Support";
        const time = new Date(message.sentAt).toISOString().slice(11, 16);
        return `[${time}] ${who}: ${message.text}`;
      })
      .join("\n");
  }

  private isOpen(): boolean {
    const { timezone, opens, closes, days } = this.options.hours;
    const local = this.clock.inZone(timezone);
    if (!days.includes(local.weekday)) return false;
    return local.hour >= opens && local.hour < closes;
  }

  private receive(message: ChatMessage): void {
    if (this.history.some((known) => known.id === message.id)) return;
    this.add(message);
    this.emit("typing", false);
    this.restartIdleTimer();
  }

  private assign(agent: Agent | null): void {
    const before = this.agent;
    this.agent = agent;
    this.emit("agent", agent);
    if (agent === null) {
      if (before) this.notice(`${before.name} has left the chat.`);
      this.enter("waiting");
      return;
    }
    this.enter("talking");
    if (before === null) {
      this.notice(`You are now talking to ${agent.name}.`);
    } else if (before.id !== agent.id) {
      this.notice(`${before.name} has handed you over to ${agent.name}.`);
    }
  }

  private announcePosition(place: number): void {
    if (this.state !== "waiting") return;
    if (place === 1) {
      this.notice("It's your turn next.");
    } else if (place <= 5) {
      this.notice(`${place - 1} people are ahead of you.`);
    } else {
      this.notice("All of us are busy, it may take a few minutes.");
    }
  }

  private connectionLost(): void {
    if (this.state === "closed") return;
    this.notice("The connection was lost, trying again …");
  }

  private connectionRestored(): void {
    this.notice("You are connected again.");
    for (const entry of [...this.pending.values()]) {
      if (entry.timer !== null) this.clock.cancel(entry.timer);
      void this.deliver({ ...entry, attempts: 0, timer: null });
    }
  }

  private async deliver(entry: Pending): Promise<void> {
    const { message } = entry;
    this.pending.set(message.id, entry);
    try {
      await this.transport.send({ id: message.id, text: message.text });
      this.pending.delete(message.id);
      this.update(message.id, "sent");
    } catch {
      const delay = RETRY_DELAYS[entry.attempts];
      if (delay === undefined) {
        this.pending.delete(message.id);
        this.update(message.id, "failed");
        this.notice("Your message could not be sent.");
        return;
      }
      entry.attempts += 1;
      entry.timer = this.clock.after(delay, () => void this.deliver(entry));
    }
  }

  private update(id: string, status: ChatMessage["status"]): void {
    const index = this.history.findIndex((message) => message.id === id);
    if (index < 0) return;
    const changed = { ...this.history[index], status };
    this.history[index] = changed;
    this.emit("message", changed);
  }

  private add(message: ChatMessage): void {
    this.history.push(message);
    this.emit("message", message);
  }

  private notice(text: string): void {
    this.history.push({
      id: this.nextId(),
      from: "system",
      text,
      sentAt: this.clock.now(),
      status: "sent",
    });
    this.emit("notice", text);
  }

  private enter(state: SessionState): void {
    if (this.state === state) return;
    this.state = state;
    this.emit("state", state);
  }

  private restartIdleTimer(): void {
    if (this.idleTimer !== null) this.clock.cancel(this.idleTimer);
    this.idleTimer = this.clock.after(this.options.idleMinutes * 60_000, () => {
      this.idleTimer = null;
      void this.close("idle");
    });
  }

  private stopTimers(): void {
    if (this.idleTimer !== null) this.clock.cancel(this.idleTimer);
    if (this.typingTimer !== null) this.clock.cancel(this.typingTimer);
    this.idleTimer = null;
    this.typingTimer = null;
  }

  private nextId(): string {
    this.sequence += 1;
    return `${this.visitor.id}-${this.sequence}`;
  }
}
