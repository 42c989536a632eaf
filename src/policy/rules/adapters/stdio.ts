import type { StdioParams } from '../../../config/policy-rules/catalogue/params/stdio.js';
import type { Instance } from '../instance.js';
import { plainValue, valueText } from '../value-text.js';
import type { Adapter, HandlerEnvironment } from './adapter.js';

type Level = 'INFO' | 'WARNING' | 'ERROR';

const RANKS: Readonly<Record<Level, number>> = { INFO: 0, WARNING: 1, ERROR: 2 };
const USUAL_LEVELS: Readonly<Record<string, Level>> = {
  info: 'INFO',
  warn: 'WARNING',
  warning: 'WARNING',
  err: 'ERROR',
  error: 'ERROR',
};

/** Writes log entries and metrics as lines. Policy servers write no files: FILE and ROTATED_FILE are STDOUT. */
export function buildStdio(params: StdioParams, { clock, writeLine }: HandlerEnvironment): Adapter {
  const stream = params.logStream === 'STDERR' ? 'stderr' : 'stdout';
  const lowest = RANKS[params.outputLevel as Level];
  const levels = new Map(Object.entries(params.severityLevels));
  const levelOf = ({ template, values }: Instance): Level => {
    if (template === 'metric') return params.metricLevel as Level;
    const severity = valueText(values.get('severity'));
    return (levels.get(severity) as Level | undefined) ?? USUAL_LEVELS[severity.toLowerCase()] ?? 'INFO';
  };
  return {
    report: (instances) => {
      for (const instance of instances) {
        const level = levelOf(instance);
        if (RANKS[level] < lowest) continue;
        const entry = entryOf(instance, level, clock.now());
        writeLine(stream, params.outputAsJson ? JSON.stringify(entry) : textOf(entry));
      }
    },
    close: async () => undefined,
  };
}

function entryOf({ fullName, template, values, maps }: Instance, level: Level, now: Date): Record<string, unknown> {
  const [namespace, name] = fullName.split('/');
  const named = maps.get(template === 'metric' ? 'dimensions' : 'variables') ?? new Map();
  return {
    level: level.toLowerCase(),
    time: values.has('timestamp') ? plainValue(values.get('timestamp')) : now.toISOString(),
    instance: `${name}.instance.${namespace}`,
    ...(template === 'metric' && { value: plainValue(values.get('value')) }),
    ...Object.fromEntries(Array.from(named, ([key, value]) => [key, plainValue(value)])),
  };
}

/** Values are JSON, so that a line break in a header cannot make a line. */
function textOf({ level, time, instance, ...rest }: Record<string, unknown>): string {
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [time, level, instance, ...fields].join('\t');
}
