import { Worker } from 'node:worker_threads';
import { BenchError } from '../cli/bench-error.js';
import { encodeNode, type NodeIdentity } from '../wire/node-message.js';
import type { Variant } from './ads-stream.js';
import { type Expectation, staysInStorm, WITNESS } from './expectation.js';
import { type RecordedMessage, type Recording, TemplateCollector } from './recording.js';
import type { ClientSpec, WorkerCommand, WorkerReport, WorkerResult } from './worker-protocol.js';

/** How far all clients together are. */
export interface FleetProgress {
  readonly clients: number;
  readonly completed: number;
  readonly receivedBytes: number;
  /** On the monotonic clock; 0 before the first message of the phase. */
  readonly lastMessageAtMs: number;
  readonly waitingFor: string;
}

export interface FleetResult {
  /** When each client was done, on the monotonic clock. */
  readonly completedAtMs: readonly number[];
  /** The same of the clients that stayed connected in a storm. They are not among the others. */
  readonly stayedAtMs: readonly number[];
  readonly receivedBytes: number;
  readonly recording: Recording;
  /** What clients on demand received of a change that none of them should get; undefined in other phases. */
  readonly unseenBytes: number | undefined;
  /** Of a churn, since the last time: as in WorkerResult, one array for each worker. */
  readonly arrivals: readonly Float64Array[];
}

type ProgressReport = Extract<WorkerReport, { kind: 'progress' }>;

interface WorkerHandle {
  readonly thread: Worker;
  progress: ProgressReport | undefined;
  answered: ((result: WorkerResult | undefined) => void) | undefined;
}

export interface FleetOptions {
  /** Default: state of the world. */
  readonly variant?: Variant;
  /** All clients but the witness are sidecars on demand: they are to get nothing of a change. */
  readonly onDemand?: boolean;
  /**
   * The clients that stay connected in a storm have one more thread of their own: they must not wait until the others
   * have encoded and sent what they have.
   */
  readonly hasStorm?: boolean;
}

/** All clients, spread over worker threads, driven phase by phase. A failure of any of them rejects `failed`. */
export class Fleet {
  readonly #workers: readonly WorkerHandle[];
  readonly #nodes: readonly Buffer[];
  readonly #variant: Variant;
  readonly #onDemand: boolean;
  readonly #workerOf: (index: number) => number;
  #isUnseen = false;
  #reject: (error: Error) => void = () => {};
  #stopping = false;
  /** Never resolves; rejects when a client or a worker fails. Race it with every wait. */
  readonly failed: Promise<never>;

  constructor(identities: readonly NodeIdentity[], workers: number, options: FleetOptions = {}) {
    const { variant = 'sotw', onDemand = false, hasStorm = false } = options;
    this.#variant = variant;
    this.#onDemand = onDemand;
    this.#workerOf = (index) => (hasStorm && staysInStorm(index) ? workers : index % workers);
    this.#nodes = identities.map(encodeNode);
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // A failure between two waits is kept for the next one instead of ending the process.
    this.failed.catch(() => {});
    this.#workers = Array.from({ length: hasStorm ? workers + 1 : workers }, () => this.#startWorker());
  }

  /** Builds all clients for that server, not yet connected. */
  async arm(target: string): Promise<void> {
    const clients = this.#nodes.map((node, index): ClientSpec => ({ index, node }));
    await Promise.all(
      this.#workers.map((worker, number) => {
        const own = clients.filter(({ index }) => this.#workerOf(index) === number);
        return this.#ask(worker, { kind: 'arm', target, clients: own, variant: this.#variant });
      }),
    );
  }

  /** Starts a phase: clears the records, and counts the clients that meet the expectation from now on. */
  async begin(expectation: Expectation): Promise<void> {
    this.#isUnseen = this.#onDemand && expectation.kind === 'change';
    await this.#askAll({
      kind: 'begin',
      expectation: this.#onDemand && expectation.kind === 'change' ? { ...expectation, kind: 'unseen' } : expectation,
    });
    for (const worker of this.#workers) worker.progress = undefined;
  }

  /** Connects all clients at once. */
  async go(): Promise<void> {
    await this.#askAll({ kind: 'go' });
  }

  /** Ends all streams, and connects all clients again with what they have. */
  async reconnect(): Promise<void> {
    await this.#askAll({ kind: 'reconnect' });
  }

  progress(): FleetProgress {
    const reports = this.#workers.map((worker) => worker.progress);
    const sum = (read: (report: ProgressReport) => number) =>
      reports.reduce((total, report) => total + (report === undefined ? 0 : read(report)), 0);
    return {
      clients: this.#nodes.length,
      completed: sum((report) => report.completed),
      receivedBytes: sum((report) => report.receivedBytes),
      lastMessageAtMs: Math.max(...reports.map((report) => report?.lastMessageAtMs ?? 0)),
      waitingFor: reports.find((report) => report !== undefined && report.waitingFor !== '')?.waitingFor ?? '',
    };
  }

  /** Messages of the phase. */
  async collect(): Promise<FleetResult> {
    const results = await this.#askAll({ kind: 'collect' });
    const completedAtMs: number[] = [];
    const stayedAtMs: number[] = [];
    const clients: (readonly RecordedMessage[])[] = this.#nodes.map(() => []);
    const templates = new TemplateCollector();
    let receivedBytes = 0;
    let unseenBytes = 0;
    for (const result of results) {
      for (const template of result?.templates ?? []) templates.add(template);
      for (const client of result?.clients ?? []) {
        if (client.completedAtMs !== undefined) (client.stayed ? stayedAtMs : completedAtMs).push(client.completedAtMs);
        clients[client.index] = client.recorded;
        for (const message of client.recorded) {
          receivedBytes += message.sizeBytes;
          if (client.index !== WITNESS) unseenBytes += message.sizeBytes;
        }
      }
    }
    return {
      completedAtMs,
      stayedAtMs,
      receivedBytes,
      unseenBytes: this.#isUnseen ? unseenBytes : undefined,
      recording: { clients, templates: templates.templates() },
      arrivals: results.flatMap((result) => (result === undefined ? [] : [result.arrivals])),
    };
  }

  /** Disconnects all clients. */
  async disarm(): Promise<void> {
    await this.#askAll({ kind: 'disarm' });
  }

  /** Ends the worker threads at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#workers.map(({ thread }) => thread.terminate()));
  }

  #startWorker(): WorkerHandle {
    const thread = new Worker(new URL('./worker.js', import.meta.url));
    const handle: WorkerHandle = { thread, progress: undefined, answered: undefined };
    thread.on('message', (report: WorkerReport) => {
      switch (report.kind) {
        case 'done':
          handle.answered?.(report.result);
          handle.answered = undefined;
          break;
        case 'progress':
          handle.progress = report;
          break;
        case 'failed':
          this.#reject(new BenchError('client-failed', report.message));
          break;
      }
    });
    thread.on('error', (error) => {
      this.#reject(new BenchError('worker-failed', `A client worker crashed: ${error.message}.`, { cause: error }));
    });
    thread.on('exit', (code) => {
      if (!this.#stopping) this.#reject(new BenchError('worker-failed', `A client worker exited with code ${code}.`));
    });
    return handle;
  }

  #askAll(command: WorkerCommand): Promise<readonly (WorkerResult | undefined)[]> {
    return Promise.all(this.#workers.map((worker) => this.#ask(worker, command)));
  }

  #ask(worker: WorkerHandle, command: WorkerCommand): Promise<WorkerResult | undefined> {
    const answer = new Promise<WorkerResult | undefined>((resolve) => {
      worker.answered = resolve;
    });
    worker.thread.postMessage(command);
    return Promise.race([answer, this.failed]);
  }
}
