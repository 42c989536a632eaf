import test from 'ava';
import { createRuleRig } from '../rule-rig.js';

/** The lines that reports make of these paths. */
function linesOf(params: string, severity: string, ...paths: readonly string[]): readonly string[] {
  const rig = createRuleRig();
  rig.apply(`rule shop/r {actions: [{handler: out, instances: [entry, size]}]}
    handler shop/out {compiledAdapter: stdio, params: {${params}}}
    instance shop/entry {compiledTemplate: logentry, params: {severity: '${severity}', timestamp: 'timestamp("2026-01-02T03:04:05Z")', variables: {path: request.path}}}
    instance shop/size {compiledTemplate: metric, params: {value: '7', dimensions: {path: request.path}}}`);
  for (const path of paths) rig.report({ 'request.path': path });
  rig.clock.advance(100);
  return rig.lines;
}

const levelsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))).level);

test('log entries have the level of their severity, metrics that of the parameters, and lower ones are left out', (t) => {
  t.deepEqual(levelsOf(linesOf('', '"info"', '/a')), ['info', 'info']);
  t.deepEqual(levelsOf(linesOf('', '"Warning"', '/a')), ['warning', 'info']);
  t.deepEqual(levelsOf(linesOf('metricLevel: ERROR', '"loud"', '/a')), ['info', 'error']);
  const levels = 'severityLevels: {loud: ERROR, error: INFO}';
  t.deepEqual(levelsOf(linesOf(`${levels}, outputLevel: WARNING`, '"loud"', '/a')), ['error']);
  t.deepEqual(levelsOf(linesOf(`${levels}, outputLevel: WARNING`, '"error"', '/a')), []);
});

test('lines are JSON or text, to the stream of the parameters, and no value makes a line of its own', (t) => {
  const entry = '{"level":"info","time":"2026-01-02T03:04:05.000Z","instance":"entry.instance.shop","path":"/a\\nb"}';
  const metric =
    '{"level":"info","time":"2026-01-01T00:00:00.100Z","instance":"size.instance.shop","value":7,"path":"/a\\nb"}';
  t.deepEqual(linesOf('', '"info"', '/a\nb'), [`stdout ${entry}`, `stdout ${metric}`]);
  t.deepEqual(linesOf('logStream: STDERR, outputAsJson: false', '"info"', '/a\nb'), [
    'stderr 2026-01-02T03:04:05.000Z\tinfo\tentry.instance.shop\tpath="/a\\nb"',
    'stderr 2026-01-01T00:00:00.100Z\tinfo\tsize.instance.shop\tvalue=7\tpath="/a\\nb"',
  ]);
});
