import type { PushActivity, PushRecord } from '../../model/push-activity.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import { count, duration, joined, objectLink, renderBadge, renderSince, serviceLink } from './pieces.js';
import { renderPushCharts } from './push-charts.js';
import type { Site } from './site.js';
import { type ListPart, partOf, renderPager, renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly query: URLSearchParams;
  readonly now: Date;
  readonly activity: PushActivity;
  readonly part: ListPart<PushRecord>;
}

const PATH = '/debug/pushes';

/** The recent pushes: why, how large, and how long each stage took. */
export function pushesPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Pushes',
    description: 'Recent pushes: the changes behind them, the proxies that they concern, and the time of each stage',
    parameters: [{ name: 'page', required: false, choice: { type: 'text' } }],
    model: ({ activity }, { query, now }) => {
      if (activity === undefined) throw new HttpProblem(404, 'This program pushes nothing.');
      return { query, now, activity, part: partOf(activity.pushes(), query) };
    },
    render: renderPushes,
    json: ({ part }) =>
      recordOf({
        pushes: listOf(part.items, ({ reasons, ...push }) => ({ ...push, reasons: Object.fromEntries(reasons) })),
      }),
  });
}

function renderPushes({ query, now, activity, part }: Model): Html {
  return html`<div class="lead"><h1>Pushes</h1>${part.total === 0 ? '' : html`<span class="quiet">the last ${part.total} since the start</span>`}</div>
${renderPushCharts(activity)}
<h2>Recent pushes</h2>
${part.items.length === 0 ? html`<p class="empty">Nothing has changed since the start. Proxies got the first configuration when they connected.</p>` : renderRows(part.items, now)}
${renderPager(PATH, query, part)}`;
}

function renderRows(pushes: readonly PushRecord[], now: Date): Html {
  return renderTable<PushRecord>(
    [
      {
        head: 'Push',
        cell: (push) =>
          html`<span class="name">#${push.number}</span> ${renderSince(push.at, now)} ago${push.version === '' ? html` ${renderBadge('Failed', 'bad')}` : ''}`,
      },
      {
        head: 'Reason',
        cell: ({ reasons, full }) =>
          html`${joined([...reasons].map(([reason, times]) => (times === 1 ? reason : `${reason} ×${times}`)))} ${full ? '' : renderBadge('endpoints only')}`,
      },
      { head: 'Changes', cell: renderSize },
      { head: 'Proxies', isNumber: true, cell: ({ proxies }) => proxies },
      { head: 'Merged', isNumber: true, cell: ({ stages }) => duration(stages.mergeMs) },
      { head: 'Snapshot', isNumber: true, cell: ({ stages }) => duration(stages.buildMs) },
      { head: 'Chosen', isNumber: true, cell: ({ stages }) => duration(stages.selectMs) },
      {
        head: 'Sent',
        isNumber: true,
        cell: ({ sent, lastSentMs }) =>
          sent === 0 ? html`<span class="quiet">–</span>` : html`${sent}, last after ${duration(lastSentMs)}`,
      },
    ],
    pushes,
  );
}

function renderSize({ objects, firstObjects, hosts, firstHosts }: PushRecord): Html {
  if (objects === 'everything') return html`everything`;
  const parts = [
    ...(objects > 0
      ? [
          renderNames(
            count(objects, 'object'),
            firstObjects.map((key) => objectLink(key)),
            objects,
          ),
        ]
      : []),
    ...(hosts > 0
      ? [
          renderNames(
            `endpoints of ${count(hosts, 'host')}`,
            firstHosts.map((host) => serviceLink(host)),
            hosts,
          ),
        ]
      : []),
  ];
  return html`${parts.map((part) => html`<div>${part}</div>`)}`;
}

function renderNames(title: string, names: readonly Html[], all: number): Html {
  if (all === 1 && names[0] !== undefined) return names[0];
  return html`<details><summary>${title}</summary>${joined(names)}${all > names.length ? ` and ${all - names.length} more` : ''}</details>`;
}
