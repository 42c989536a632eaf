// Reads the Dockerfile, which says what the image holds and how it starts, for `npm run image` and for the tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../set-up.mjs';

/** The instructions of each stage, continued lines joined, without comments. */
export function readStages() {
  const lines = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const stages = [];
  for (const line of lines) {
    if (line.startsWith('FROM ')) stages.push([]);
    stages.at(-1)?.push(line);
  }
  return stages;
}

/** The stage that becomes the image. */
export const finalStage = () => readStages().at(-1) ?? [];

/** What a stage copies: { from, sources, target }; `from` names a stage, undefined for the build context. */
export function copiesOf(stage) {
  return instructions(stage, 'COPY').map((text) => {
    const words = text.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
  });
}

/** The values of all instructions of a kind. */
export function instructions(stage, name) {
  return stage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

/** The value of the last instruction of its kind. */
export function instruction(stage, name) {
  const found = instructions(stage, name).at(-1);
  if (found === undefined) throw new Error(`the Dockerfile's stage has no ${name}`);
  return found;
}

/** The labels of the stage. */
export function labelsOf(stage) {
  const pairs = instruction(stage, 'LABEL').matchAll(/(\S+)="([^"]*)"/g);
  return Object.fromEntries([...pairs].map(([, key, value]) => [key, value]));
}
