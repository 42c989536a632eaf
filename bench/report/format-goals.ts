import type { Goal } from './goals.js';
import { formatTable } from './table.js';
import type { TerminalStyle } from './terminal-style.js';

/** One line for each goal: result, measured value, limit. */
export function formatGoals(goals: readonly Goal[], style: TerminalStyle): readonly string[] {
  const lines = formatTable(
    goals.map((goal) => [goal.name, quantity(goal.value, goal), '/', quantity(goal.limit, goal)]),
  );
  return lines.map((line, index) => `  ${goals[index]?.met ? style.good('PASS ') : style.bad('short')}  ${line}`);
}

function quantity(value: number, { unit, limit }: Goal): string {
  const digits = limit === 0 ? 0 : limit < 1 ? 3 : limit < 10 ? 2 : 0;
  const text = Number.isNaN(value) ? '-' : value.toFixed(digits);
  return unit === 'x' ? `${text}x` : `${text} ${unit}`;
}
