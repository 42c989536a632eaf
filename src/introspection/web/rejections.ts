import { type Html, html } from '../html.js';
import type { PastRejection } from '../past-rejection.js';
import { typeTitle } from './behind.js';
import { dateIn, type Fields, textIn, textsIn } from './other-instances.js';
import { joined, objectLink, proxyLink, renderSince } from './pieces.js';
import { renderTable } from './table.js';

/** Objects that a list names. */
const MAX_OBJECTS = 12;

/** A table of rejections with proxy, text and causes. */
export function renderRejections(rejections: readonly PastRejection[], now: Date): Html {
  return renderTable<PastRejection>(
    [
      {
        head: 'Proxy',
        cell: ({ connection }) => proxyLink(connection, connection.split('~')[2] ?? connection),
      },
      { head: 'When', cell: ({ at }) => html`<span class="short">${renderSince(at, now)} ago</span>` },
      { head: 'Type', cell: ({ typeUrl }) => typeTitle(typeUrl) },
      {
        head: 'Rejection',
        cell: ({ code, message }) => html`<bdi>${message || code}</bdi>`,
      },
      { head: 'Caused by', cell: ({ causes }) => renderCauses(causes) },
    ],
    rejections,
  );
}

export function renderCauses(causes: PastRejection['causes']): Html {
  const more = causes.length > MAX_OBJECTS ? ` and ${causes.length - MAX_OBJECTS} more` : '';
  const several = causes.length > 1 ? html`<span class="quiet">one of</span> ` : '';
  return html`${several}${joined(
    causes.slice(0, MAX_OBJECTS).map((key) => objectLink(key)),
    'not known',
  )}${more}`;
}

/** A rejection that another instance tells of. */
export function readRejection(fields: Fields): PastRejection {
  return {
    at: dateIn(fields, 'at'),
    ...{ connection: textIn(fields, 'connection'), typeUrl: textIn(fields, 'typeUrl'), nonce: textIn(fields, 'nonce') },
    ...{ code: textIn(fields, 'code'), message: textIn(fields, 'message'), causes: textsIn(fields, 'causes') },
  };
}

/** Without the resources. */
export function rejectionJson({ accepted: _, offered: __, ...rejection }: PastRejection): object {
  return rejection;
}
