import { type Html, html } from '../html.js';

export type Cell = Html | string | number | undefined;

/** A text of so many characters, such as a kind, stays on one line beside columns of long texts. */
const UNBROKEN = 24;

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
  if (typeof cell === 'object') return html`<div>${cell}</div>`;
  return html`<div${String(cell).length <= UNBROKEN ? html` class="short"` : ''}><bdi>${cell}</bdi></div>`;
}

function classOf(isNumber = false): Html {
  return isNumber ? html` class="num"` : html``;
}

/** A part of a long list. */
export interface ListPart<Item> {
  readonly items: readonly Item[];
  /** Number of the first item, from 0. */
  readonly start: number;
  /** Items of a whole part. */
  readonly size: number;
  readonly total: number;
}

/** Items of one page of a list. */
const PAGE_SIZE = 100;

/** Items of a part at most: `size` is for scripts. */
export const MAX_PART_SIZE = 1000;

/** @param query `page` is the number of the part, from 1, and `size` the items of one; any other text means the default */
export function partOf<Item>(items: readonly Item[], query: URLSearchParams): ListPart<Item> {
  const size = wholeNumber(query.get('size'), PAGE_SIZE, MAX_PART_SIZE);
  const page = wholeNumber(query.get('page'), 1, Math.max(1, Math.ceil(items.length / size)));
  const start = (page - 1) * size;
  return { items: items.slice(start, start + size), start, size, total: items.length };
}

function wholeNumber(text: string | null, otherwise: number, most: number): number {
  const number = Number.parseInt(text ?? '', 10);
  return Math.min(Math.max(Number.isNaN(number) ? otherwise : number, 1), most);
}

/** Links to the parts before and after; nothing if there is only one. */
export function renderPager(
  path: string,
  query: URLSearchParams,
  { items, start, size, total }: ListPart<unknown>,
): Html {
  if (total <= size) return html``;
  const at = start / size + 1;
  const link = (page: number, text: string): Html => {
    const next = new URLSearchParams(query);
    next.set('page', String(page));
    return html`<a href="${path}?${next.toString()}">${text}</a>`;
  };
  return html`<p class="pager">${start > 0 ? link(at - 1, 'Previous') : ''}<span>${start + 1} to ${start + items.length} of ${total}</span>${start + items.length < total ? link(at + 1, 'Next') : ''}</p>`;
}
