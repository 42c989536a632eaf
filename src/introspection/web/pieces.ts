import { type Html, html } from '../html.js';
import type { ProxyState } from '../proxy-state.js';

/** Small parts that several pages share. */

export type Tone = 'good' | 'busy' | 'bad' | '';

export function renderBadge(text: string, tone: Tone = ''): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export function renderCard(label: string, value: string | number, link: string, tone: Tone = ''): Html {
  return html`<li><a class="card ${tone}" href="${link}"><strong>${value}</strong><span>${label}</span></a></li>`;
}

export function renderState({ type }: ProxyState): Html {
  switch (type) {
    case 'current':
      return renderBadge('Up to date', 'good');
    case 'waiting':
      return renderBadge('Waiting', 'busy');
    case 'rejected':
      return renderBadge('Rejected', 'bad');
  }
}

/** A link with parameters. Unlike encodeURIComponent, this accepts any text, also lone surrogates. */
export function linkTo(path: string, parameters: Readonly<Record<string, string>>, text: Html | string): Html {
  return html`<a href="${path}?${new URLSearchParams(parameters).toString()}">${typeof text === 'string' ? html`<bdi>${text}</bdi>` : text}</a>`;
}

export function objectLink(key: string, text: string = key): Html {
  return linkTo('/debug/object', { key }, text);
}

export function serviceLink(host: string, namespace?: string): Html {
  return linkTo('/debug/service', { host, ...(namespace === undefined ? {} : { namespace }) }, host);
}

export function proxyLink(id: string, text: string): Html {
  return linkTo('/debug/proxy', { proxyID: id }, text);
}

/** Links in a row; a note without any. */
export function joined(items: readonly (Html | string)[], none = '–'): Html {
  if (items.length === 0) return html`<span class="quiet">${none}</span>`;
  return html`${items.map((item, index) => html`${index === 0 ? '' : ', '}${typeof item === 'string' ? html`<bdi>${item}</bdi>` : item}`)}`;
}

/** Time since an event, as `3 min`, with the whole time in its title. */
export function renderSince(since: Date, now: Date): Html {
  const exact = since.toISOString();
  return html`<time datetime="${exact}" title="${exact}">${elapsed(since, now)}</time>`;
}

function elapsed(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** `0.8 ms`, `12 ms`, `1.3 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** The form above a list that filters it by text. */
export function renderFilter(path: string, query: URLSearchParams, label: string, more: Html = html``): Html {
  return html`<form class="filter" action="${path}" method="get" role="search"><input type="search" name="q" value="${query.get('q') ?? ''}" placeholder="${label}" aria-label="${label}" autocomplete="off">${more}<button>Filter</button></form>`;
}

export function renderOptions(
  name: string,
  label: string,
  values: readonly (readonly [string, string])[],
  chosen: string,
): Html {
  return html`<label>${label} <select name="${name}">${values.map(
    ([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`,
  )}</select></label>`;
}

/** Whether a text contains the filter, without regard to case. */
export function contains(filter: string, ...texts: readonly string[]): boolean {
  const wanted = filter.trim().toLowerCase();
  return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
}

/** JSON, as the pages for scripts show it: without secrets. */
export function renderJson(text: string): Html {
  return html`<pre tabindex="0">${text}</pre>`;
}
