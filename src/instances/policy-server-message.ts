import { parseRecord } from '../base/record.js';
import type { PageQuestion, RenderedPage } from '../introspection/instances.js';
import { readQuestion } from './instance-message.js';

/**
 * The method with which a separate policy server lets the control plane read its pages. The policy server makes the
 * call, as it does for its configuration: it sends a greeting, and then one answer for each question. All messages are JSON.
 */
export const POLICY_SERVER_SERVICE = 'navigator.instances.v1.PolicyServers';
export const SERVE_METHOD = 'Serve';

/** Longest answer, in bytes: the live use of about sixty quotas. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_NAME = 300;

/** The first message of a policy server. */
export interface Greeting {
  /** Its node id, as on its discovery streams. */
  readonly id: string;
  /** Its host, and the port of its own pages. */
  readonly name: string;
}

export interface NumberedQuestion extends PageQuestion {
  readonly number: number;
}

export interface NumberedAnswer extends RenderedPage {
  /** That of the question. */
  readonly number: number;
}

/** @returns undefined for other bytes */
export function readGreeting(bytes: Buffer): Greeting | undefined {
  const { id, name } = parseRecord(bytes.toString()) ?? {};
  if (typeof id !== 'string' || typeof name !== 'string' || name.length > MAX_NAME) return undefined;
  return { id, name };
}

/** @returns undefined for other bytes */
export function readNumberedQuestion(bytes: Buffer): NumberedQuestion | undefined {
  const question = readQuestion(bytes);
  const number = parseRecord(bytes.toString())?.['number'];
  return question === undefined || typeof number !== 'number' ? undefined : { ...question, number };
}

/** @returns undefined for other bytes */
export function readAnswer(bytes: Buffer): NumberedAnswer | undefined {
  if (bytes.length > MAX_ANSWER_BYTES) return undefined;
  const { number, status, content } = parseRecord(bytes.toString()) ?? {};
  if (typeof number !== 'number' || typeof status !== 'number' || typeof content !== 'string') return undefined;
  return { number, status, content };
}

export function writePolicyMessage(message: Greeting | NumberedQuestion | NumberedAnswer): Buffer {
  return Buffer.from(JSON.stringify(message));
}
