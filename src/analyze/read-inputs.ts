import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { errorText } from '../base/error-text.js';
import { readConfigFile } from '../sources/file/read-config-file.js';
import { isGone, scanDirectory } from '../sources/file/scan-directory.js';
import { InputError } from './input-error.js';

/** The text of one file. */
export interface InputText {
  /** As the user named it, with the path below a named folder; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** The operand that names standard input. */
export const STDIN = '-';
/** The limit of files of --configDir. A file is parsed in one go. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** `kubectl get -o yaml` of a large mesh. The parser accepts 32 Mi characters in one document. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024;

/**
 * Reads files of any name, all YAML and JSON files below folders, and standard input for `-`. A file that is named twice
 * is read once.
 *
 * @throws InputError for a file or folder that cannot be read, and for a folder without YAML or JSON files
 */
export async function readInputs(operands: readonly string[], stdin: Readable): Promise<readonly InputText[]> {
  const inputs = new Map<string, InputText>();
  for (const operand of operands) {
    for (const input of await readOperand(operand, stdin)) {
      const id = input.file === STDIN ? STDIN : path.resolve(input.file);
      if (!inputs.has(id)) inputs.set(id, input);
    }
  }
  return [...inputs.values()];
}

async function readOperand(operand: string, stdin: Readable): Promise<readonly InputText[]> {
  if (operand === STDIN) return [{ file: STDIN, text: await readStream(stdin) }];
  const stats = await stat(operand).catch((cause: unknown) => {
    const reason = isGone(cause) ? 'does not exist' : `cannot be read (${errorText(cause)})`;
    throw new InputError(`${operand} ${reason}; name a file, a folder, or - for standard input`, { cause });
  });
  if (stats.isDirectory()) return await readFolder(operand);
  if (!stats.isFile() && !stats.isFIFO()) throw new InputError(`${operand} is neither a file nor a folder`);
  if (stats.size > MAX_FILE_BYTES) throw new InputError(`${operand} is larger than ${MAX_FILE_BYTES} bytes; split it`);
  const text = await readFile(operand, 'utf8').catch((cause: unknown) => {
    throw new InputError(`${operand} cannot be read (${errorText(cause)}); allow this user to read it`, { cause });
  });
  return [{ file: operand, text }];
}

/** Reads the files that --configDir would read. */
async function readFolder(folder: string): Promise<readonly InputText[]> {
  const realRoot = await realpath(folder);
  const { files, problems } = await scanDirectory(folder, realRoot, () => undefined);
  const [problem] = problems;
  if (problem !== undefined) throw new InputError(`${path.join(folder, problem.file)} ${problem.reason}`);
  if (files.size === 0) throw new InputError(`${folder} has no .yaml, .yml or .json file; name another folder`);
  const texts: InputText[] = [];
  for (const [relative, { size }] of [...files].sort(([first], [second]) => (first < second ? -1 : 1))) {
    const file = path.join(folder, relative);
    const text = await readConfigFile(file, { realRoot, size, maxBytes: MAX_FILE_BYTES }).catch((cause: unknown) => {
      throw new InputError(`${file} ${errorText(cause)}`, { cause });
    });
    texts.push({ file, text });
  }
  return texts;
}

async function readStream(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_STDIN_BYTES)
      throw new InputError(`standard input is larger than ${MAX_STDIN_BYTES} bytes; split it`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
