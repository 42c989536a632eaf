import { randomUUID } from 'node:crypto';
import { composeDiscoveryResponse } from '../envoy/discovery-response.js';

/** A response as it goes to every stream of a group: the very same Buffer for all of them. */
export interface ComposedResponse {
  readonly nonce: string;
  readonly version: string;
  readonly bytes: Buffer;
}

/** A response in use by a stream, until it has left this process. */
export interface ResponseLease {
  readonly response: ComposedResponse;
  release(): void;
}

/** What a response is made of. `group` is an object that stands for its content, such as a ResourceSet or diff. */
export interface ResponseContent {
  readonly group: object;
  readonly typeUrl: string;
  readonly versionInfo: string;
  /** Ledger root that starts the nonce; empty when tracking is off. */
  readonly root: string;
  /** Entries of encoded resources; asked for only when the response is composed. */
  body(): readonly Uint8Array[];
}

/**
 * Composes each response once per group and keeps it while a stream is still writing it. Idle responses
 * stay for late-comers within a byte budget.
 */
export interface ResponseCache {
  /** @param usedNonce a nonce that the stream has already seen, so that it never gets one twice. */
  lease(content: ResponseContent, usedNonce: string): ResponseLease;
  /** Responses composed since start. */
  readonly composed: number;
  /** Bytes held at present. */
  readonly heldBytes: number;
}

interface Slot {
  readonly key: string;
  readonly response: ComposedResponse;
  users: number;
}

export function createResponseCache(controlPlane: string, idleBudgetBytes: number): ResponseCache {
  const groups = new WeakMap<object, Map<string, Slot>>();
  /** Slots that no stream uses, oldest first. */
  const idle = new Map<Slot, Map<string, Slot>>();
  let idleBytes = 0;
  let heldBytes = 0;
  let composed = 0;

  const compose = (content: ResponseContent): ComposedResponse => {
    composed++;
    const nonce = `${content.root}${randomUUID()}`;
    const header = { versionInfo: content.versionInfo, typeUrl: content.typeUrl, nonce, controlPlane };
    return { nonce, version: content.versionInfo, bytes: composeDiscoveryResponse(header, content.body()) };
  };

  const evict = (): void => {
    for (const [slot, slots] of idle) {
      if (idleBytes <= idleBudgetBytes) return;
      idle.delete(slot);
      if (slots.get(slot.key) === slot) slots.delete(slot.key);
      idleBytes -= slot.response.bytes.length;
      heldBytes -= slot.response.bytes.length;
    }
  };

  const release = (slot: Slot, slots: Map<string, Slot>): void => {
    if (--slot.users > 0) return;
    if (slots.get(slot.key) !== slot) {
      heldBytes -= slot.response.bytes.length;
      return;
    }
    idle.set(slot, slots);
    idleBytes += slot.response.bytes.length;
    evict();
  };

  return {
    lease: (content, usedNonce) => {
      let slots = groups.get(content.group);
      if (slots === undefined) {
        slots = new Map();
        groups.set(content.group, slots);
      }
      const key = `${content.root}\n${content.versionInfo}`;
      let slot = slots.get(key);
      if (slot === undefined || slot.response.nonce === usedNonce) {
        slot = { key, response: compose(content), users: 0 };
        heldBytes += slot.response.bytes.length;
        const replaced = slots.get(key);
        if (replaced !== undefined && idle.delete(replaced)) {
          idleBytes -= replaced.response.bytes.length;
          heldBytes -= replaced.response.bytes.length;
        }
        slots.set(key, slot);
      } else if (idle.delete(slot)) {
        idleBytes -= slot.response.bytes.length;
      }
      slot.users++;
      const held = slot;
      const home = slots;
      let released = false;
      return {
        response: held.response,
        release: () => {
          if (released) return;
          released = true;
          release(held, home);
        },
      };
    },
    get composed() {
      return composed;
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}
