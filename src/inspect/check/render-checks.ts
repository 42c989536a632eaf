import type { Paint, Tone } from '../../base/paint.js';
import { count } from '../count.js';
import { renderTable } from '../table.js';
import type { CheckResult } from './check-result.js';

const TONES: Readonly<Record<CheckResult['level'], Tone>> = {
  ok: 'good',
  warning: 'warning',
  error: 'bad',
  skipped: 'dim',
};

/** The results as a table, for people. */
export function renderChecks(results: readonly CheckResult[], paint: Paint): string {
  const table = renderTable(
    ['RESULT', 'CHECK', 'SUBJECT', 'MESSAGE'],
    results.map(({ level, check, subject, message, remedy }) => [
      { text: level, tone: TONES[level] },
      { text: check },
      { text: subject },
      { text: remedy === undefined ? message : `${message}; ${remedy}` },
    ]),
    paint,
  );
  const of = (level: CheckResult['level']) => results.filter((each) => each.level === level).length;
  const problems = `${count(of('error'), 'error')}, ${count(of('warning'), 'warning')}`;
  return `${table}\n${problems}, ${of('ok')} ok, ${of('skipped')} skipped\n`;
}
