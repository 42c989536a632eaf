import { encodeDeltaRequest } from '../wire/delta-request.js';
import { WireReader } from '../wire/wire-reader.js';
import type { RequestScript, ScriptStep } from './request-script.js';

/** Field numbers of envoy.service.discovery.v3.DeltaDiscoveryResponse. */
const FIELD = { resources: 2, typeUrl: 4, nonce: 5, removed: 6 } as const;

/** Effects of an idle sidecar. */
export interface IdleOutputs {
  send(request: Uint8Array): void;
  /** It has everything; called once. */
  synced(): void;
  /** A message with the marker arrived; called once for each marker. */
  changed(): void;
}

/**
 * A sidecar that keeps nothing: it sends the requests of another one, and acknowledges each response. It takes only type
 * and nonce from the bytes, and counts the resources, so that thousands of sidecars cost little.
 */
export class IdleSidecar {
  readonly #script: RequestScript;
  readonly #node: Buffer;
  readonly #outputs: IdleOutputs;
  #step = 0;
  #answered = 0;
  #marker: Buffer | undefined;

  /** @param node encoded Node */
  constructor(script: RequestScript, node: Buffer, outputs: IdleOutputs) {
    this.#script = script;
    this.#node = node;
    this.#outputs = outputs;
  }

  /** Sends the first request. */
  start(): void {
    const [first] = this.#script;
    if (first === undefined) throw new RangeError('The script of a sidecar has no request.');
    this.#outputs.send(encodeDeltaRequest({ typeUrl: first.typeUrl, node: this.#node }));
  }

  /** Waits for a message with these bytes. */
  expect(marker: Buffer): void {
    this.#marker = marker;
  }

  /** Handles one response. Throws RangeError on garbage. */
  receive(message: Buffer): void {
    const { typeUrl, nonce, resources } = readHead(message);
    this.#outputs.send(encodeDeltaRequest({ typeUrl, nonce }));
    if (this.#marker !== undefined && message.includes(this.#marker)) {
      this.#marker = undefined;
      this.#outputs.changed();
    }
    const step = this.#script[this.#step];
    if (step !== undefined && step.typeUrl === typeUrl) this.#advance(step, resources);
  }

  #advance(step: ScriptStep, resources: number): void {
    this.#answered += resources;
    if (this.#answered < step.names) return;
    this.#answered = 0;
    this.#step += 1;
    const next = this.#script[this.#step];
    if (next === undefined) this.#outputs.synced();
    else this.#outputs.send(next.request);
  }
}

function readHead(message: Buffer): { readonly typeUrl: string; readonly nonce: string; readonly resources: number } {
  const reader = new WireReader(message);
  let [typeUrl, nonce, resources] = ['', '', 0];
  while (reader.next()) {
    if (reader.field === FIELD.resources || reader.field === FIELD.removed) resources += 1;
    else if (reader.field === FIELD.typeUrl) typeUrl = reader.text();
    else if (reader.field === FIELD.nonce) nonce = reader.text();
  }
  return { typeUrl, nonce, resources };
}
