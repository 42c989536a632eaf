import type { ProxyConnection } from '../model/proxy-connection.js';
import { type Html, html, styleElement } from './html.js';
import type { Page, PageParameter } from './page.js';
import type { ProxyState } from './proxy-state.js';
import type { Readiness } from './ready.js';
import type { BuildInfo } from './views.js';

/** The content of the index page. */
export interface DebugIndexModel {
  /** Name of the program. */
  readonly title: string;
  readonly build: BuildInfo;
  readonly readiness: Readiness;
  readonly now: Date;
  /** Undefined before the first snapshot, like `snapshotVersion`. */
  readonly services: number | undefined;
  readonly snapshotVersion: string | undefined;
  readonly proxies: number;
  readonly current: number;
  readonly rejected: number;
  readonly problems: number;
  /** Number of errors among the problems. */
  readonly errors: number;
  /** The listed proxies, which may be fewer than `proxies`. */
  readonly rows: readonly ProxyRow[];
  /** Suggested object keys. */
  readonly resources: readonly string[];
  readonly pages: readonly Page[];
}

export interface ProxyRow {
  readonly connection: ProxyConnection;
  readonly state: ProxyState;
}

/** Renders the page, without scripts and external resources. All inserted text is escaped. */
export function renderDebugIndex(model: DebugIndexModel): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${model.title}</title>
${styleElement(DEBUG_INDEX_STYLE)}
</head>
<body>
<header>
<h1>${model.title}</h1>
${renderReadiness(model.readiness)}
<p class="build"><bdi>${model.build.version}</bdi> · ${model.snapshotVersion ?? 'no configuration yet'}</p>
</header>
<main>
${renderSummary(model)}
<section>
<h2>Proxies</h2>
${renderProxies(model)}
</section>
<section>
<h2>Pages</h2>
<table class="pages">
<thead><tr><th scope="col">Endpoint</th><th scope="col">Description</th></tr></thead>
<tbody>${model.pages.map(renderPage)}</tbody>
</table>
</section>
</main>
<datalist id="proxies">${model.rows.map(({ connection }) => html`<option value="${connection.id}"></option>`)}</datalist>
<datalist id="resources">${model.resources.map((key) => html`<option value="${key}"></option>`)}</datalist>
</body>
</html>
`;
}

function renderReadiness(readiness: Readiness): Html {
  if (readiness.ready) return html`<p class="badge good">Ready</p>`;
  return html`<p class="badge bad">Not ready</p><p class="reason"><bdi>${readiness.reason}</bdi></p>`;
}

function renderSummary(model: DebugIndexModel): Html {
  const { proxies, current, rejected, problems } = model;
  return html`<ul class="cards">
${renderCard('Services', model.services ?? '–', '/debug/registryz')}
${renderCard('Proxies connected', proxies, '/debug/adsz')}
${renderCard('Up to date', proxies === 0 ? '–' : `${current} of ${proxies}`, '/debug/syncz', current < proxies ? 'busy' : '')}
${renderCard('Proxies with rejections', rejected, '/debug/syncz', rejected > 0 ? 'bad' : '')}
${renderCard('Configuration problems', problems, '/debug/config_problems', problemTone(model))}
</ul>`;
}

function problemTone({ problems, errors }: DebugIndexModel): string {
  if (errors > 0) return 'bad';
  return problems > 0 ? 'busy' : '';
}

function renderCard(label: string, value: string | number, link: string, tone = ''): Html {
  return html`<li><a class="card ${tone}" href="${link}"><strong>${value}</strong><span>${label}</span></a></li>`;
}

function renderProxies({ rows, proxies, now }: DebugIndexModel): Html {
  if (rows.length === 0) {
    return html`<p class="empty">No proxy is connected. A proxy appears here when it opens a stream.</p>`;
  }
  const rest = proxies - rows.length;
  return html`<div class="scroll"><table class="proxies">
<thead><tr><th scope="col">Proxy</th><th scope="col">State</th><th scope="col">Connected</th><th scope="col">Details</th></tr></thead>
<tbody>${rows.map((row) => renderProxy(row, now))}</tbody>
</table></div>
${rest > 0 ? html`<p class="empty">${rest} more proxies: <a href="/debug/syncz">/debug/syncz</a></p>` : ''}`;
}

function renderProxy({ connection, state }: ProxyRow, now: Date): Html {
  const { proxy, connectedAt } = connection;
  // Unlike encodeURIComponent, this accepts any text, also lone surrogates.
  const query = new URLSearchParams({ proxyID: connection.id }).toString();
  return html`<tr>
<td><bdi class="name">${proxy.name}</bdi> <bdi class="quiet">${proxy.configNamespace}</bdi><br><bdi class="id">${connection.id}</bdi></td>
<td>${renderState(state)}</td>
<td><time datetime="${connectedAt.toISOString()}" title="${connectedAt.toISOString()}">${elapsed(connectedAt, now)}</time></td>
<td class="links"><a href="/debug/config_dump?${query}">config_dump</a> <a href="/debug/edsz?${query}">edsz</a></td>
</tr>`;
}

function renderState(state: ProxyState): Html {
  switch (state.type) {
    case 'current':
      return html`<span class="badge good">Up to date</span>`;
    case 'waiting':
      return html`<span class="badge busy">Waiting</span>`;
    case 'rejected':
      return html`<span class="badge bad">Rejected</span>${state.rejections.map((text) => html`<p class="reason"><bdi>${text}</bdi></p>`)}`;
  }
}

function renderPage({ path, description, parameters = [] }: Page): Html {
  const direct = !parameters.some(({ required }) => required);
  return html`<tr>
<td>${direct ? html`<a href="${path}"><code>${path}</code></a>` : html`<code>${path}</code>`}</td>
<td>${description}${parameters.length === 0 ? '' : renderForm(path, parameters, direct)}</td>
</tr>`;
}

function renderForm(path: string, parameters: readonly PageParameter[], direct: boolean): Html {
  const fields = parameters.map((parameter) => renderParameter(parameter, direct));
  return html`<form action="${path}" method="get">${fields}${direct ? '' : html`<button>Open</button>`}</form>`;
}

function renderParameter({ name, required, choice }: PageParameter, direct: boolean): Html {
  if (choice.type === 'value') {
    if (direct) return html`<button name="${name}" value="${choice.value}">${name}=${choice.value}</button>`;
    return html`<label><input type="checkbox" name="${name}" value="${choice.value}"> ${name}</label>`;
  }
  const list = { proxy: 'proxies', resource: 'resources', text: '' }[choice.type];
  const hint = required ? name : `${name} (optional)`;
  return html`<input name="${name}" list="${list}" placeholder="${hint}" aria-label="${hint}" autocomplete="off"${required ? html` required` : ''}>`;
}

function elapsed(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** The only style sheet of the page. The content security policy permits it by its hash. */
export const DEBUG_INDEX_STYLE = `
:root { --bg: #f6f7f9; --panel: #fff; --text: #1b2330; --quiet: #5c6675; --line: #dfe3e9; --link: #0b5cad;
  --good: #176b3a; --good-bg: #def3e5; --busy: #7a5200; --busy-bg: #fcefcf; --bad: #a32020; --bad-bg: #fbe3e1; }
@media (prefers-color-scheme: dark) { :root { --bg: #12161c; --panel: #1a2028; --text: #e3e8ef; --quiet: #98a3b3;
  --line: #2c3541; --link: #7cb8f7; --good: #7fd6a1; --good-bg: #16351f; --busy: #f0c766; --busy-bg: #3a2d0d;
  --bad: #ff9c94; --bad-bg: #431c1a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem 4rem; background: var(--bg); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-bottom: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 1rem; margin: 2.25rem 0 .75rem; }
p { margin: 0; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
code, .id { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.build { margin-left: auto; color: var(--quiet); font-size: 13px; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; font-size: 13px; font-weight: 600; white-space: nowrap; }
.good { color: var(--good); background: var(--good-bg); }
.busy { color: var(--busy); background: var(--busy-bg); }
.bad { color: var(--bad); background: var(--bad-bg); }
.reason { color: var(--bad); font-size: 13px; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
.card { display: flex; flex-direction: column; height: 100%; padding: .9rem 1.1rem; border: 1px solid var(--line);
  border-radius: .6rem; background: var(--panel); color: var(--text); }
.card:hover { border-color: var(--link); text-decoration: none; }
.card strong { font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card span { color: var(--quiet); font-size: 13px; }
.card.busy { border-color: var(--busy); }
.card.bad { border-color: var(--bad); }
.card.busy strong { color: var(--busy); }
.card.bad strong { color: var(--bad); }
.scroll { overflow-x: auto; }
.proxies { min-width: 46rem; }
table { width: 100%; border-collapse: separate; border-spacing: 0; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--panel); overflow: hidden; }
th, td { padding: .55rem 1.1rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-size: 13px; font-weight: 500; }
.name { font-weight: 600; }
.quiet, .id, .empty, time { color: var(--quiet); }
.id { font-size: 12px; overflow-wrap: anywhere; }
time { white-space: nowrap; }
.links { white-space: nowrap; }
.links a { margin-right: .6rem; }
.proxies td:first-child { width: 45%; }
.pages td:first-child { width: 1%; white-space: nowrap; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; margin: .35rem 0 .15rem; }
input, button { font: inherit; font-size: 13px; padding: .2rem .6rem; border: 1px solid var(--line); border-radius: .35rem;
  background: var(--bg); color: var(--text); }
input:not([type=checkbox]) { flex: 0 1 20rem; min-width: 9rem; }
label { color: var(--quiet); font-size: 13px; }
button { cursor: pointer; color: var(--link); }
button:hover { border-color: var(--link); }
@media (max-width: 40rem) { .pages td:first-child { white-space: normal; } th, td { padding: .5rem .7rem; } .build { margin-left: 0; } }
`;
