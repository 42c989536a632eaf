import { type Html, html } from '../html.js';

export type Cell = Html | string | number | undefined;

export interface Column<Row> {
  readonly head: string;
  readonly isNumber?: boolean;
  cell(row: Row): Cell;
}

/** A table whose rows become blocks with labels on narrow screens. The first column names the row. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>): Html {
  return html`<table class="rows"><thead><tr>${columns.map(
    ({ head, isNumber }) => html`<th scope="col"${classOf(isNumber)}>${head}</th>`,
  )}</tr></thead><tbody>${Array.from(rows, (row) => renderRow(columns, row))}</tbody></table>`;
}

function renderRow<Row>(columns: readonly Column<Row>[], row: Row): Html {
  return html`<tr>${columns.map(({ head, isNumber, cell }, index) => {
    const content = wrapped(cell(row));
    if (index === 0) return html`<th scope="row">${content}</th>`;
    return html`<td data-label="${head}"${classOf(isNumber)}>${content}</td>`;
  })}</tr>`;
}

function wrapped(cell: Cell): Html {
  if (cell === undefined || cell === '') return html``;
  return html`<div>${typeof cell === 'object' ? cell : html`<bdi>${cell}</bdi>`}</div>`;
}

function classOf(isNumber = false): Html {
  return isNumber ? html` class="num"` : html``;
}

/** A part of a long list. */
export interface ListPart<Item> {
  readonly items: readonly Item[];
  /** Number of the first item, from 0. */
  readonly start: number;
  readonly total: number;
}

/** Items of one page of a list. */
const PAGE_SIZE = 100;

/** @param query `page` is the number of the part, from 1; any other text means the first one */
export function partOf<Item>(items: readonly Item[], query: URLSearchParams): ListPart<Item> {
  const last = Math.max(1, Math.ceil(items.length / PAGE_SIZE));
  const asked = Number.parseInt(query.get('page') ?? '1', 10);
  const start = (Math.min(Math.max(Number.isNaN(asked) ? 1 : asked, 1), last) - 1) * PAGE_SIZE;
  return { items: items.slice(start, start + PAGE_SIZE), start, total: items.length };
}

/** Links to the parts before and after; nothing if there is only one. */
export function renderPager(path: string, query: URLSearchParams, { items, start, total }: ListPart<unknown>): Html {
  if (total <= PAGE_SIZE) return html``;
  const at = start / PAGE_SIZE + 1;
  const link = (page: number, text: string): Html => {
    const next = new URLSearchParams(query);
    next.set('page', String(page));
    return html`<a href="${path}?${next.toString()}">${text}</a>`;
  };
  return html`<p class="pager">${start > 0 ? link(at - 1, 'Previous') : ''}<span>${start + 1} to ${start + items.length} of ${total}</span>${start + items.length < total ? link(at + 1, 'Next') : ''}</p>`;
}
