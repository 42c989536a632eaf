import { parseRecord } from '../base/record.js';
import type { PageQuestion, QuestionForm } from '../introspection/instances.js';

/** The method with which an instance asks another one. Both messages are JSON: the content is a page. */
export const INSTANCE_SERVICE = 'navigator.instances.v1.Pages';
export const READ_METHOD = 'Read';

/** Longest answer, in bytes. A list of proxies has at most a thousand of them, with node ids of up to 2048 characters. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** A query can have a node id, of which each character may take nine. */
const MAX_PATH = 32_768;
/** As for people. */
const MAX_BODY = 65_536;

/** The page of an instance. */
export interface InstanceMessage {
  /** Unique among the instances. */
  readonly id: string;
  /** Name of its pod; empty if it is none. */
  readonly name: string;
  /** HTTP status of the page. */
  readonly status: number;
  /** JSON or HTML; the reason if the status is above 399. */
  readonly content: string;
}

const FORMS: readonly QuestionForm[] = ['json', 'html', 'change'];

/** @returns undefined for other bytes */
export function readQuestion(bytes: Buffer): PageQuestion | undefined {
  const message = parseRecord(bytes.toString());
  const path = message?.['path'];
  const form = FORMS.find((each) => each === message?.['form']);
  const body = message?.['body'] ?? '';
  if (typeof path !== 'string' || path.length > MAX_PATH || form === undefined) return undefined;
  if (typeof body !== 'string' || body.length > MAX_BODY) return undefined;
  return { path, form, body };
}

/** @returns undefined for other bytes */
export function readMessage(bytes: Buffer): InstanceMessage | undefined {
  const { id, name, status, content } = parseRecord(bytes.toString()) ?? {};
  if (typeof id !== 'string' || typeof name !== 'string' || typeof status !== 'number' || typeof content !== 'string')
    return undefined;
  return { id, name, status, content };
}

export function writeMessage(message: InstanceMessage | PageQuestion): Buffer {
  return Buffer.from(JSON.stringify(message));
}
