import { type Html, html } from '../html.js';

export interface ChartLine {
  readonly name: string;
  /** `one` or `two`: its colour. */
  readonly tone: 'one' | 'two';
  /** Equal distances; undefined where nothing was measured, which interrupts the line. */
  readonly values: readonly (number | undefined)[];
}

export interface Chart {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Labels of the first and last values. */
  readonly from: string;
  readonly to: string;
  format(value: number): string;
}

const WIDTH = 600;
const HEIGHT = 100;
/** Keeps lines at the edges visible. */
const PAD = 2;

/** A line chart in SVG. The largest value decides the height; screen readers get the newest values as text. */
export function renderChart({ title, lines, from, to, format }: Chart): Html {
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const newest = (values: ChartLine['values']): string => {
    const last = values.findLast((value) => value !== undefined);
    return last === undefined ? '–' : format(last);
  };
  const summary = lines.map(({ name, values }) => `${name} ${newest(values)}`).join(', ');
  return html`<figure><figcaption><b>${title}</b>${lines.map(
    ({ name, tone, values }) => html`<i class="${tone}">${name} ${newest(values)}</i>`,
  )}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${summary}">
${[0, 0.5, 1].map((part) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${yOf(part)}" y2="${yOf(part)}" vector-effect="non-scaling-stroke"/>`)}
${lines.map((line) => renderLine(line, most || 1))}
</svg>
<div class="axis"><span>${from}</span><span>${most === 0 ? '' : `top ${format(most)}`}</span><span>${to}</span></div></figure>`;
}

function yOf(part: number): string {
  return (HEIGHT - PAD - part * (HEIGHT - 2 * PAD)).toFixed(1);
}

function renderLine({ tone, values }: ChartLine, most: number): Html {
  const step = WIDTH / Math.max(1, values.length - 1);
  const runs: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === undefined) runs.push([]);
    else runs.at(-1)?.push(`${(index * step).toFixed(1)} ${yOf(value / most)}`);
  }
  return html`<g class="${tone}">${runs
    .filter((points) => points.length > 0)
    .map((points) => {
      const [first = ''] = points;
      const last = points.at(-1) ?? '';
      // A line to the same place makes a single point visible.
      const path = `M${points.length === 1 ? [first, first].join('L') : points.join('L')}`;
      const area = `${path}L${last.split(' ')[0]} ${HEIGHT}L${first.split(' ')[0]} ${HEIGHT}Z`;
      return html`<path class="area" d="${area}"/><path class="line" d="${path}" vector-effect="non-scaling-stroke"/>`;
    })}</g>`;
}
