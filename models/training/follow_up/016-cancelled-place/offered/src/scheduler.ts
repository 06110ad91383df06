import { EventEmitter } from 'node:events';

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export interface Job<T = unknown> {
  id: string;
  priority: number;
  run: () => Promise<T>;
  state: JobState;
  attempts: number;
  error?: Error;
}

export interface SchedulerOptions {
  concurrency?: number;
  maxAttempts?: number;
  backoffMs?: number;
}

let nextId = 1;

export class Scheduler extends EventEmitter {
  private queue: Job<any>[] = [];
  private active = 0;
  private paused = false;

  private readonly concurrency: number;
  private readonly maxAttempts: number;
  private readonly backoffMs: number;

  constructor(opts: SchedulerOptions = {}) {
    super();
    this.concurrency = opts.concurrency ?? 2;
    this.maxAttempts = opts.maxAttempts ?? 3;
    this.backoffMs = opts.backoffMs || 250;
  }

  /** Adds a job; higher priorities run first. */
  add<T>(run: () => Promise<T>, priority = 0): Job<T> {
    const job: Job<T> = {
      id: `job-${nextId++}`,
      priority,
      run,
      state: 'waiting',
      attempts: 0,
    };
    this.queue.push(job);
    this.queue.sort((a, b) => a.priority - b.priority);
    this.pump();
    return job;
  }

  pause() {
    this.paused = true;
  }

  resume() {
    this.paused = false;
    this.pump();
  }

  get size(): number {
    return this.queue.length + this.active;
  }

  private pump() {
    while (!this.paused && this.active < this.concurrency) {
      const job = this.queue.shift();
      if (!job) return;
      void this.execute(job);
    }
  }

  private async execute(job: Job<any>) {
    this.active++;
    job.state = 'running';
    job.attempts++;
    this.emit('start', job);
    try {
      const result = await job.run();
      job.state = 'done';
      this.emit('done', job, result);
    } catch (e) {
      job.error = e as Error;
      if (job.attempts < this.maxAttempts) {
        job.state = 'waiting';
        setTimeout(() => this.requeue(job), this.backoffMs * job.attempts);
      } else {
        job.state = 'failed';
        this.emit('failed', job);
      }
    }
    this.active--;
    this.pump();
  }

  private requeue(job: Job<any>) {
    this.queue.unshift(job);
    this.pump();
  }
}
