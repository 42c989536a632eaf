import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { projectRoot } from '../counterparts/project-root.js';

const FOLDER = join(projectRoot(), 'test/fuzz/cases');

/** One case of one target, as a file has it. */
interface CaseFile {
  /** The former problem of the case, for readers. */
  readonly problem: string;
  /** The case, where JSON can hold it; else `serialized`. */
  readonly input?: unknown;
  /** `v8.serialize`, in base64. */
  readonly serialized?: string;
}

export interface KeptCase {
  readonly file: string;
  readonly problem: string;
  readonly input: unknown;
}

export function keptCases(target: string): readonly KeptCase[] {
  return namesIn(join(FOLDER, target)).map((file) => {
    const { problem, input, serialized } = JSON.parse(readFileSync(join(FOLDER, target, file), 'utf8')) as CaseFile;
    return { file, problem, input: serialized === undefined ? input : deserialize(Buffer.from(serialized, 'base64')) };
  });
}

/** Targets that have cases. */
export function casesFolders(): readonly string[] {
  return namesIn(FOLDER);
}

/** @returns the file, from the root of the project */
export function keepCase(target: string, input: unknown, problem: string): string {
  const isText = typeof input === 'string' && Buffer.from(input).toString() === input;
  const content: CaseFile = isText ? { problem, input } : { problem, serialized: serialize(input).toString('base64') };
  const name = createHash('sha256').update(serialize(input)).digest('hex').slice(0, 12);
  mkdirSync(join(FOLDER, target), { recursive: true });
  writeFileSync(join(FOLDER, target, `${name}.json`), `${JSON.stringify(content, undefined, 2)}\n`);
  return `test/fuzz/cases/${target}/${name}.json`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
