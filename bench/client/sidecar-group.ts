import { setImmediate as nextTurn } from 'node:timers/promises';
import { findMarkedAddresses } from '../kubernetes/marked-address.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { VersionEntries } from '../wire/version-entries.js';
import { AdsStream, type Variant } from './ads-stream.js';
import { DeltaSidecar } from './delta-sidecar.js';
import { type Expectation, expectationOfClient, staysInStorm, WITNESS } from './expectation.js';
import { TemplateCollector } from './recording.js';
import { Sidecar, type SidecarClient, type SidecarOutputs } from './sidecar.js';
import type { ClientSpec, WorkerReport, WorkerResult } from './worker-protocol.js';

interface Member {
  readonly index: number;
  readonly sidecar: SidecarClient;
  /** Opens another stream of the client. */
  readonly connect: () => AdsStream;
  stream: AdsStream | undefined;
  completedAtMs: number | undefined;
}

/** Clients that connect again in one turn of the event loop. */
const RECONNECTS_AT_ONCE = 10;

/** The sidecars of one worker thread. */
export class SidecarGroup {
  readonly #members: readonly Member[];
  readonly #templates = new TemplateCollector();
  readonly #entries = new VersionEntries();
  #reconnects = 0;
  #expectation: Expectation | undefined;
  #completed = 0;
  #receivedBytes = 0;
  #lastMessageAtMs = 0;
  #isChurn = false;
  #isStorm = false;
  #isUnseen = false;
  #arrivals: number[] = [];

  constructor(
    target: string,
    clients: readonly ClientSpec[],
    fail: (message: string) => void,
    variant: Variant = 'sotw',
  ) {
    this.#members = clients.map((client) => this.#createMember(target, client, fail, variant));
  }

  begin(expectation: Expectation): void {
    this.#expectation = expectation;
    this.#isChurn = expectation.kind === 'churn';
    this.#isStorm = expectation.kind === 'storm';
    this.#isUnseen = expectation.kind === 'unseen';
    this.#arrivals = [];
    this.#completed = this.#members.filter((member) => this.#getsNothing(member)).length;
    this.#receivedBytes = 0;
    this.#lastMessageAtMs = 0;
    this.#templates.clear();
    for (const member of this.#members) this.#begin(member);
  }

  go(): void {
    for (const member of this.#members) {
      member.stream = member.connect();
      member.sidecar.start();
    }
  }

  /**
   * Ends the streams at once, as when a server ends, and opens others, on which the clients tell what they have. In a
   * storm, some stay connected.
   */
  async reconnect(): Promise<void> {
    const members = this.#members.filter((member) => !this.#stays(member));
    for (const member of members) {
      member.stream?.close();
      this.#beginAgain(member);
    }
    let begun = 0;
    for (const member of members) {
      member.stream = member.connect();
      this.#reconnects += 1;
      member.sidecar.resume?.(this.#reconnects);
      begun += 1;
      // Clients that are connected go on to read meanwhile.
      if (begun % RECONNECTS_AT_ONCE === 0) await nextTurn();
    }
  }

  progress(): WorkerReport {
    const laggard = this.#members.find((member) => member.completedAtMs === undefined && !this.#getsNothing(member));
    return {
      kind: 'progress',
      completed: this.#completed,
      receivedBytes: this.#receivedBytes,
      lastMessageAtMs: this.#lastMessageAtMs,
      waitingFor: laggard === undefined ? '' : `client ${laggard.index} waits for ${laggard.sidecar.describeWaiting()}`,
    };
  }

  /** The arrivals are handed over once; the rest is that of the whole phase. */
  collect(): WorkerResult {
    const arrivals = Float64Array.from(this.#arrivals);
    this.#arrivals = [];
    return {
      arrivals,
      clients: this.#members.map(({ index, completedAtMs, sidecar }) => ({
        index,
        completedAtMs,
        stayed: this.#isStorm && staysInStorm(index),
        recorded: sidecar.recorded,
      })),
      templates: this.#templates.templates(),
    };
  }

  close(): void {
    for (const { stream } of this.#members) stream?.close();
  }

  /** A message on the stream before, which came after the phase had begun, does not count. */
  #beginAgain(member: Member): void {
    if (member.completedAtMs !== undefined) this.#completed -= 1;
    this.#begin(member);
  }

  #begin(member: Member): void {
    member.completedAtMs = undefined;
    if (this.#expectation !== undefined)
      member.sidecar.beginPhase(expectationOfClient(this.#expectation, member.index));
  }

  #stays({ index }: Member): boolean {
    return this.#isStorm && staysInStorm(index);
  }

  #getsNothing({ index }: Pick<Member, 'index'>): boolean {
    return this.#isUnseen && index !== WITNESS;
  }

  #noteArrivals(bytes: Buffer): void {
    for (const change of findMarkedAddresses(bytes)) this.#arrivals.push(change, this.#lastMessageAtMs);
  }

  #createMember(target: string, client: ClientSpec, fail: (message: string) => void, variant: Variant): Member {
    const failClient = (reason: string) => fail(`Client ${client.index} on ${target}: ${reason}.`);
    const handlers = {
      failed: failClient,
      message: (bytes: Buffer) => {
        this.#lastMessageAtMs = monotonicMs();
        this.#receivedBytes += bytes.length;
        if (this.#isChurn) this.#noteArrivals(bytes);
        member.sidecar.receive(bytes);
      },
    };
    const outputs: SidecarOutputs = {
      send: (request) => member.stream?.send(request),
      received: (template) => this.#templates.add(template),
      completed: () => {
        member.completedAtMs = this.#lastMessageAtMs;
        this.#completed += 1;
      },
    };
    const node = Buffer.from(client.node);
    const member: Member = {
      index: client.index,
      sidecar: variant === 'delta' ? new DeltaSidecar(node, outputs, this.#entries) : new Sidecar(node, outputs),
      connect: () => new AdsStream(target, handlers, variant, client.index),
      stream: undefined,
      completedAtMs: undefined,
    };
    return member;
  }
}
