import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../counterparts/project-root.js';

export interface Copy {
  /** Name of a stage; undefined for the build context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The instructions of one stage, continued lines joined, without comments. */
export type Stage = readonly string[];

export function readStages(): readonly Stage[] {
  const lines = readFileSync(join(projectRoot(), 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const stages: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('FROM ')) stages.push([]);
    stages.at(-1)?.push(line);
  }
  return stages;
}

export function copiesOf(stage: Stage): readonly Copy[] {
  return stage
    .filter((line) => line.startsWith('COPY '))
    .map((line) => {
      const words = line.split(/\s+/).slice(1);
      const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
      return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
    });
}

/** The value of the last instruction of its kind. */
export function instruction(stage: Stage, name: string): string {
  const found = stage.findLast((line) => line.startsWith(`${name} `));
  if (found === undefined) throw new Error(`the Dockerfile's stage has no ${name}`);
  return found.slice(name.length + 1);
}

export const finalStage = (): Stage => readStages().at(-1) ?? [];
