import type { ObjectKey } from '../../config/object.js';

/** A place in the folder. */
export interface FileLocation {
  /** Path below the folder, with `/` on every platform. */
  readonly file: string;
  /** Counts the file's non-empty documents from 1; absent when the whole file is at fault. */
  readonly document?: number;
  /** Line of the file, from 1. */
  readonly line?: number;
}

/** A problem with a file: its content is not served as written. */
export interface FileProblem extends FileLocation {
  /** The object, when its kind and name could be read. */
  readonly key?: ObjectKey;
  /** `spec.ports[0].number` */
  readonly field?: string;
  /** The problem and the remedy, in one line. */
  readonly reason: string;
}

/** A present problem, for debug pages and status. */
export interface FileReport extends FileProblem {
  readonly since: Date;
}

/** `shop.yaml:12 (document 2)` */
export function formatLocation({ file, document, line }: FileLocation): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return document === undefined ? place : `${place} (document ${document})`;
}

/** The id of a problem is the same after each reading of the file. */
export function problemId(problem: FileProblem): string {
  const { file, document, line, key, field, reason } = problem;
  return JSON.stringify([file, document, line, key, field, reason]);
}
