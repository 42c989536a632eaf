import { AdsStream, type AdsStreamHandlers } from '../client/ads-stream.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import type { ConnectionCommand, ConnectionReport } from './connection-protocol.js';
import { IdleSidecar } from './idle-sidecar.js';

type OpenCommand = Extract<ConnectionCommand, { kind: 'open' }>;

/** The connections of one process. */
export class ConnectionGroup {
  readonly #connected = new Map<IdleSidecar, AdsStream>();
  #synced = 0;
  #turnedAway = 0;
  #firstReason = '';
  #marker = '';
  #changedAtMs: number[] = [];

  /** Connects the sidecars of a command: the next when one of those before has everything. */
  open({ nodes, atOnce, script, target }: OpenCommand): void {
    const waiting = nodes.values();
    const openNext = () => {
      const { value: node } = waiting.next();
      if (node === undefined) return;
      let isSyncing = true;
      const done = () => {
        if (isSyncing) openNext();
        isSyncing = false;
      };
      const handlers: AdsStreamHandlers = {
        message: (bytes) => sidecar.receive(bytes),
        failed: (reason) => {
          if (!isSyncing) this.#synced -= 1;
          this.#connected.delete(sidecar);
          this.#turnedAway += 1;
          if (this.#firstReason === '') this.#firstReason = reason;
          done();
        },
      };
      const stream = new AdsStream(target, handlers, 'delta');
      const sidecar = new IdleSidecar(script, Buffer.from(node), {
        send: (request) => stream.send(request),
        changed: () => this.#changedAtMs.push(monotonicMs()),
        synced: () => {
          this.#synced += 1;
          done();
        },
      });
      this.#connected.set(sidecar, stream);
      sidecar.start();
    };
    for (let count = 0; count < atOnce; count += 1) openNext();
  }

  expect(marker: string): void {
    this.#marker = marker;
    this.#changedAtMs = [];
    const bytes = Buffer.from(marker);
    for (const sidecar of this.#connected.keys()) sidecar.expect(bytes);
  }

  report(): ConnectionReport {
    return {
      synced: this.#synced,
      turnedAway: this.#turnedAway,
      firstReason: this.#firstReason,
      marker: this.#marker,
      changedAtMs: Float64Array.from(this.#changedAtMs),
    };
  }

  close(): void {
    for (const stream of this.#connected.values()) stream.close();
    this.#connected.clear();
  }
}
