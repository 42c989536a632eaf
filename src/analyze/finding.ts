import type { ObjectKey } from '../config/object.js';
import type { MessageLevel } from '../status/analysis/message-codes.js';

/** One mistake in an input, or one message of analysis. */
export interface Finding {
  readonly code: string;
  readonly level: MessageLevel;
  /** As the user named it; `-` for standard input. Absent if the finding concerns no file. */
  readonly file?: string;
  /** Line of the file, from 1. Absent if the finding concerns the whole file. */
  readonly line?: number;
  readonly object?: ObjectKey;
  /** `spec.http[0].route[1].weight` */
  readonly field?: string;
  /** The finding without its remedy. */
  readonly message: string;
  readonly remedy: string;
  /** The line of the file, without its indentation. Absent if the finding concerns the whole file. */
  readonly excerpt?: string;
}

/** The result of one run. */
export interface Report {
  /** The server or cluster that the objects come from; absent: files. */
  readonly from?: string;
  /** Sorted by file, line and code. */
  readonly findings: readonly Finding[];
  readonly files: number;
  /** Objects of known kinds, valid or not. Valid ones are analyzed. */
  readonly objects: number;
  /** Objects of kinds that the mesh does not read. */
  readonly skipped: number;
  /** Messages that hold only if the input is the whole mesh. */
  readonly leftOut: number;
}

const RANKS: Readonly<Record<MessageLevel, number>> = { Info: 0, Warn: 1, Error: 2 };

export function isAtLeast(level: MessageLevel, threshold: MessageLevel): boolean {
  return RANKS[level] >= RANKS[threshold];
}

export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (first, second) =>
      compare(first.file ?? '', second.file ?? '') ||
      (first.line ?? 0) - (second.line ?? 0) ||
      compare(first.code, second.code) ||
      compare(first.field ?? '', second.field ?? '') ||
      compare(first.message, second.message),
  );
}

function compare(first: string, second: string): number {
  return first < second ? -1 : Number(first > second);
}
