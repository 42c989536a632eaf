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

/** The reader that `npm run image` has as well. */
export const { readStages, finalStage, copiesOf, instruction, labelsOf } = (await import(
  `file://${join(projectRoot(), 'scripts/image/dockerfile.mjs')}`
)) as {
  readStages(): readonly Stage[];
  finalStage(): Stage;
  copiesOf(stage: Stage): readonly Copy[];
  /** The value of the last instruction of its kind. */
  instruction(stage: Stage, name: string): string;
  labelsOf(stage: Stage): Readonly<Record<string, string>>;
};
