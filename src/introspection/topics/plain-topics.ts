import { type Html, html } from '../html.js';
import { listOf } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';
import type { Site } from '../web/site.js';
import { renderTable } from '../web/table.js';
import { createWebPage } from '../web/web-page.js';
import type { MetricSample, ProcessFacts } from './process-facts.js';
import { redactArguments, redactValue } from './redact-settings.js';

type Row = readonly [name: string, value: string];

/** The topics that show a table: memory, environment, process, arguments, version, metrics; and signals. */
export function plainTopics(site: Site, facts: ProcessFacts): readonly Page[] {
  const environment = (): readonly Row[] =>
    facts
      .environment()
      .map(([name, value]) => [name, redactValue(name, value)] as const)
      .toSorted(([first], [second]) => compareText(first, second));
  return [
    topic(site, 'mem', 'Memory', true, () => rowsOf(facts.memory()), renderMemory),
    jsonPage('/memj', 'Memory, as JSON; PUT /memj/forcecollection collects garbage', () => facts.memory(), {
      methods: ['PUT'],
      isNamed: true,
      handle: (_views, { name }) => {
        if (name !== 'forcecollection') return { type: 'empty', status: 404 };
        facts.collectGarbage();
        return { type: 'empty', status: 202 };
      },
    }),
    topic(site, 'env', 'Environment', false, environment),
    jsonPage('/envj', 'Environment variables without secrets, as JSON', () =>
      environment().map(([name, value]) => ({ name, value })),
    ),
    topic(site, 'proc', 'Process', true, () => rowsOf({ ...facts.ids() })),
    jsonPage('/procj', 'The process, as JSON', () => facts.ids()),
    topic(site, 'arg', 'Arguments', false, () =>
      redactArguments(facts.arguments()).map((word, index) => [String(index), word] as const),
    ),
    topic(site, 'version', 'Version', false, () => Object.entries(facts.version)),
    jsonPage('/versionj', 'The version, as JSON', () => facts.version),
    topic(site, 'metric', 'Metrics', true, async () => (await facts.metrics()).map(sampleRow)),
    jsonPage('/metricj', 'All samples of metrics, as JSON', async () => listOf(await facts.metrics(), (each) => each)),
    {
      ...createWebPage(site, {
        path: '/signalz',
        title: 'Signals',
        description: 'A form that sends SIGUSR1 to the process',
        isLive: false,
        model: () => undefined,
        render: () => html`<div class="lead"><h1>Signals</h1></div>
<p>SIGUSR1 runs the handlers that the process has for it. It does not open the debugger of Node.</p>
<form action="/signalz/" method="post"><button>Send SIGUSR1</button></form>`,
        json: () => ({ signals: ['SIGUSR1'] }),
      }),
      change: {
        methods: ['POST'],
        handle: () => {
          facts.signal();
          return { type: 'redirect', location: '/signalz/' };
        },
      },
    },
    jsonPage('/signalj', 'PUT /signalj/SIGUSR1 sends the signal to the process', () => ({ signals: ['SIGUSR1'] }), {
      methods: ['PUT', 'POST'],
      isNamed: true,
      handle: (_views, { name }) => {
        if (name !== 'SIGUSR1') return { type: 'empty', status: 404 };
        facts.signal();
        return { type: 'empty', status: 202 };
      },
    }),
  ];
}

function topic(
  site: Site,
  name: string,
  title: string,
  isLive: boolean,
  rows: () => readonly Row[] | Promise<readonly Row[]>,
  more: () => Html = () => html``,
): Page {
  return createWebPage<readonly Row[]>(site, {
    path: `/${name}z`,
    title,
    description: title,
    isLive,
    model: rows,
    render: (all) => html`<div class="lead"><h1>${title}</h1></div>${more()}
${renderTable<Row>(
  [
    { head: 'Name', cell: ([key]) => html`<code>${key}</code>` },
    { head: 'Value', cell: ([, value]) => html`<code>${value}</code>` },
  ],
  all,
)}`,
    json: (all) => Object.fromEntries(all),
  });
}

function renderMemory(): Html {
  return html`<p class="note">Sizes are in bytes. <code>curl -X PUT …/memj/forcecollection</code> collects garbage.</p>`;
}

function rowsOf(fields: Readonly<Record<string, unknown>>): readonly Row[] {
  return Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
}

function sampleRow({ name, labels, value }: MetricSample): Row {
  const list = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return [list.length === 0 ? name : `${name}{${list.join(',')}}`, String(value)];
}

function jsonPage(
  path: string,
  description: string,
  body: () => object | Promise<object>,
  change?: NonNullable<Page['change']>,
): Page {
  return {
    path,
    description,
    audience: 'operator',
    handle: async () => json(await body()),
    ...(change && { change }),
  };
}
