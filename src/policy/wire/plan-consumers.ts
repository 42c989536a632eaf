import protobuf from 'protobufjs';
import type { Steps } from '../../base/steps.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import { PolicyWireError } from './policy-wire-error.js';

type Consumers = ResolvedPlan['consumers'];

/** The parts of an encoded plan. */
export interface PlanParts {
  /** Each an encoded consumer. */
  readonly consumers: readonly Buffer[];
  /** The message without its consumers. */
  readonly others: Buffer;
}

/** Tags of `consumers` in ResolvedPlan, and of `name` and `keys` in PlanConsumer. */
const CONSUMERS = (5 << 3) | 2;
const NAME = (1 << 3) | 2;
const KEYS = (2 << 3) | 2;

const HASH_BYTES = 32;
/** Consumers or keys of one step, which takes less than a millisecond. A plan can have 50,000. */
const ITEMS_PER_STEP = 512;

/**
 * Separates the consumers of a plan from its other fields, which are few.
 *
 * @throws RangeError for bytes that are no message
 */
export function* splitPlan(bytes: Buffer): Steps<PlanParts> {
  const reader = protobuf.Reader.create(bytes);
  const consumers: Buffer[] = [];
  const others: Buffer[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    if (tag === CONSUMERS) {
      consumers.push(field(reader, bytes));
      if (consumers.length % ITEMS_PER_STEP === 0) yield;
    } else {
      reader.skipType(tag & 7);
      others.push(bytes.subarray(start, reader.pos));
    }
  }
  return { consumers, others: Buffer.concat(others) };
}

/**
 * Reads encoded consumers. Code of its own, because a decoder of whole messages has no pauses.
 *
 * @throws RangeError for bytes that are no message; PolicyWireError for a hash of another length
 */
export function* readConsumers(encoded: readonly Buffer[]): Steps<Consumers> {
  const consumers: Consumers[number][] = [];
  let left = ITEMS_PER_STEP;
  for (const [index, bytes] of encoded.entries()) {
    const reader = protobuf.Reader.create(bytes);
    let name = '';
    const keys: string[] = [];
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === NAME) name = reader.string();
      else if (tag === KEYS) keys.push(hashText(field(reader, bytes), index));
      else reader.skipType(tag & 7);
      if (--left > 0) continue;
      left = ITEMS_PER_STEP;
      yield;
    }
    consumers.push({ name, keys });
  }
  return consumers;
}

function field(reader: protobuf.Reader, bytes: Buffer): Buffer {
  const length = reader.uint32();
  const start = reader.pos;
  reader.skip(length);
  return bytes.subarray(start, reader.pos);
}

function hashText(hash: Buffer, consumer: number): string {
  if (hash.length === HASH_BYTES) return hash.toString('hex');
  throw new PolicyWireError(`consumers[${consumer}].keys`, `has a hash that is not ${HASH_BYTES} bytes long`);
}
