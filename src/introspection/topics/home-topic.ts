import { html } from '../html.js';
import { json, type Page } from '../page.js';
import type { Site } from '../web/site.js';
import { renderTable } from '../web/table.js';
import { createWebPage } from '../web/web-page.js';
import type { ProcessFacts } from './process-facts.js';

const TOPICS = [
  ['/scopez', 'Logging scopes', 'Levels of each scope; change them while the process runs'],
  ['/memz', 'Memory', 'The heap and the memory of the process'],
  ['/envz', 'Environment', 'Environment variables, without secrets'],
  ['/procz', 'Process', 'Ids, folders and open handles of the process'],
  ['/argz', 'Arguments', 'The command line, without secrets'],
  ['/versionz', 'Version', 'The version that runs'],
  ['/metricz', 'Metrics', 'All samples'],
  ['/signalz', 'Signals', 'Send a signal to the process'],
] as const;

/** `/` and `/homej`; `PUT /homej/exit` ends the process after a second. */
export function homePages(site: Site, facts: ProcessFacts): readonly Page[] {
  return [
    createWebPage(site, {
      path: '/',
      title: facts.processName,
      description: 'The topics of the introspection facility',
      isLive: false,
      model: () => facts,
      render:
        () => html`<div class="lead"><h1>${facts.processName}</h1><span class="quiet">on ${facts.ids().hostname}</span></div>
${renderTable<(typeof TOPICS)[number]>(
  [
    { head: 'Topic', cell: ([path, title]) => html`<a href="${path}/">${title}</a>` },
    { head: 'Content', cell: ([, , content]) => content },
  ],
  TOPICS,
)}`,
      json: () => homeJson(facts, new Date()),
    }),
    {
      path: '/homej',
      description: 'The process, as JSON',
      audience: 'operator',
      handle: (_views, { now }) => json(homeJson(facts, now)),
      change: {
        methods: ['PUT'],
        isNamed: true,
        handle: (_views, { name }) => {
          if (name !== 'exit') return { type: 'empty', status: 404 };
          facts.exit();
          return { type: 'empty', status: 202 };
        },
      },
    },
  ];
}

function homeJson(facts: ProcessFacts, now: Date): object {
  const memory = facts.memory();
  return {
    ProcessName: facts.processName,
    HeapSize: memory['HeapAlloc'],
    NumGC: memory['NumGC'],
    CurrentTime: now.getTime() * 1_000_000,
    Hostname: facts.ids().hostname,
    IP: facts.hostAddress,
  };
}
