import type { PushActivity } from '../../model/push-activity.js';
import { type Html, html } from '../html.js';
import { renderChart } from './chart.js';
import { duration } from './pieces.js';

/** Pushes per minute and convergence of the last fifteen minutes. */
export function renderPushCharts(activity: PushActivity): Html {
  const minutes = activity.minutes();
  const axis = { from: '15 min ago', to: 'now' };
  return html`<div class="charts">${renderChart({
    ...axis,
    title: 'Pushes per minute',
    lines: [{ name: 'pushes', tone: 'one', values: minutes.map(({ pushes }) => pushes) }],
    format: String,
  })}${renderChart({
    ...axis,
    title: 'Convergence, change to proxy',
    lines: [
      { name: 'p99', tone: 'two', values: minutes.map(({ p99Ms }) => p99Ms) },
      { name: 'p50', tone: 'one', values: minutes.map(({ p50Ms }) => p50Ms) },
    ],
    format: duration,
  })}</div>`;
}
