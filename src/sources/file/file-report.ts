import type { ObjectKey } from '../../config/object.js';

/** Where something stands in the folder. */
export interface FileLocation {
  /** Path below the folder, with `/` on every platform. */
  readonly file: string;
  /** Counts the file's non-empty documents from 1; absent when the whole file is at fault. */
  readonly document?: number;
  /** Line of the file, from 1. */
  readonly line?: number;
}

/** Something in the folder that is not served as written. */
export interface FileProblem extends FileLocation {
  /** The object, when its kind and name could be read. */
  readonly key?: ObjectKey;
  /** `spec.ports[0].number` */
  readonly field?: string;
  /** What is wrong and what to do, in one line. */
  readonly reason: string;
}

/** A problem that is there at present, for debug pages and status. */
export interface FileReport extends FileProblem {
  readonly since: Date;
}

/** `shop.yaml:12 (document 2)` */
export function formatLocation({ file, document, line }: FileLocation): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return document === undefined ? place : `${place} (document ${document})`;
}

/** Equal problems have equal ids, however often the file is read. */
export function problemId(problem: FileProblem): string {
  const { file, document, line, key, field, reason } = problem;
  return JSON.stringify([file, document, line, key, field, reason]);
}
