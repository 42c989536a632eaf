import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../../../schema/immutable.js';
import { stringMap } from '../../../schema/string-map.js';
import { optionalText } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter, IdleParameter } from '../compiled-adapter.js';

const LEVELS = ['INFO', 'WARNING', 'ERROR'];

function fileLimit(description: string) {
  return Type.Optional(Type.Integer({ description, minimum: 0, maximum: 2147483647 }));
}

const schema = Type.Object(
  {
    logStream: Type.Enum(['STDOUT', 'STDERR', 'FILE', 'ROTATED_FILE'], {
      description: 'Where entries are written.',
      default: 'STDOUT',
    }),
    severityLevels: stringMap(Type.Enum(LEVELS, { description: 'A level.' }), {
      description: 'Level of each severity of log entries; default: INFO, WARNING and ERROR by their usual names.',
      default: {},
      maxProperties: RULE_LIMITS.entries,
    }),
    metricLevel: Type.Enum(LEVELS, { description: 'Level of metrics.', default: 'INFO' }),
    outputAsJson: Type.Boolean({ description: 'Whether entries are JSON; otherwise text.', default: true }),
    outputLevel: Type.Enum(LEVELS, { description: 'Lowest level that is written.', default: 'INFO' }),
    outputPath: optionalText('Path of the file.'),
    maxMegabytesBeforeRotation: fileLimit('Size of a file.'),
    maxDaysBeforeRotation: fileLimit('Days that a file is kept.'),
    maxRotatedFiles: fileLimit('Number of files.'),
  },
  { additionalProperties: false, description: 'Parameters of stdio.' },
);

export type StdioParams = Immutable<Static<typeof schema>>;

const FILE_FIELDS = ['outputPath', 'maxMegabytesBeforeRotation', 'maxDaysBeforeRotation', 'maxRotatedFiles'] as const;
const NO_FILES = 'has no effect: policy servers write no files';

/** Writes log entries and metrics to the output of the policy server. */
export const stdio: CompiledAdapter<StdioParams> = {
  name: 'stdio',
  templates: ['logentry', 'metric'],
  schema,
  idle: (params) => [
    ...(params.logStream.endsWith('FILE')
      ? [{ path: 'logStream', reason: 'acts as STDOUT: policy servers write no files' } satisfies IdleParameter]
      : []),
    ...FILE_FIELDS.filter((field) => params[field] !== undefined).map((path) => ({ path, reason: NO_FILES })),
  ],
};
