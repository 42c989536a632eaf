import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../finding.js';

/** Findings by what they are about, read as one list that is the same array while nothing changed. */
export class FindingTable {
  readonly #findings = new Map<string, readonly Finding[]>();
  #list: readonly Finding[] | undefined = [];

  set(key: string, findings: readonly Finding[]): void {
    const known = this.#findings.get(key);
    if (known === undefined ? findings.length === 0 : isDeepStrictEqual(known, findings)) return;
    if (findings.length === 0) this.#findings.delete(key);
    else this.#findings.set(key, findings);
    this.#list = undefined;
  }

  list(): readonly Finding[] {
    this.#list ??= [...this.#findings.values()].flat();
    return this.#list;
  }
}
