import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../counterparts/project-root.js';

/** A command of a page, with the output that the page shows. */
export interface ShownCommand {
  readonly command: string;
  /** Undefined: the page shows none. `…` stands for any text. */
  readonly output: string | undefined;
}

/** A fenced block of commands: `sh` has only commands, `console` also their output. */
export interface CommandBlock {
  readonly page: string;
  /** The heading above it, of any level. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
  /** Those of a `console` block; an `sh` block is one command, because loops and variables span lines. */
  readonly commands: readonly ShownCommand[];
}

const FENCE = /^( *)```(sh|console)\n([\s\S]*?)^\1```$/gm;

/** The command blocks of a page, in their order. */
export function commandBlocksOf(page: string): readonly CommandBlock[] {
  const text = readFileSync(join(projectRoot(), page), 'utf8');
  return [...text.matchAll(FENCE)].map(({ index, 1: indent = '', 2: language = '', 3: inner = '' }) => {
    const headings = [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)];
    const block = inner.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return {
      page,
      heading: headings.at(-1)?.[1] ?? '',
      language,
      text: block,
      commands: language === 'console' ? consoleCommands(block) : [{ command: block, output: undefined }],
    };
  });
}

function consoleCommands(block: string): readonly ShownCommand[] {
  return block
    .split(/^\$ /m)
    .filter((part) => part !== '')
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(part) ?? [];
      return { command, output: output.trim() === '' ? undefined : output };
    });
}

/** Spaces, ages and generated names of pods differ from run to run; spaces in JSON are the page's own. */
function comparable(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  return text
    .trim()
    .replaceAll(/\s+/g, isJson ? '' : ' ')
    .replaceAll(/\b\d+[smh](?:\d+s)?\b/g, 'AGE')
    .replaceAll(/-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, '-POD');
}

/** Whether an output is the one that a page shows, where `…` stands for any text. */
export function isAsShown(output: string, shown: string): boolean {
  const parts = comparable(shown).split('…');
  let rest = comparable(output);
  for (const [position, part] of parts.entries()) {
    const text = part.trim();
    const at = position === parts.length - 1 && position > 0 ? rest.lastIndexOf(text) : rest.indexOf(text);
    if (at < 0 || (position === 0 && at > 0)) return false;
    rest = rest.slice(at + text.length);
  }
  return rest === '';
}
