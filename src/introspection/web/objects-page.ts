import { appendTo } from '../../base/append-to.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import type { Page } from '../page.js';
import type { ConfigProblem } from '../views.js';
import { lastProblems, requireContext } from '../views.js';
import { NUMEROUS_KINDS } from './numerous-kinds.js';
import { isError } from './overview.js';
import { contains, objectLink, renderBadge, renderFilter, renderOptions } from './pieces.js';
import type { Site } from './site.js';
import { type ListPart, partOf, renderPager, renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Row {
  readonly key: ObjectKey;
  /** Undefined for an object of which no valid state is in force. */
  readonly object: MeshObject | undefined;
  readonly problems: readonly ConfigProblem[];
}

interface Model {
  readonly query: URLSearchParams;
  readonly part: ListPart<Row>;
  /** Kinds with objects, and their number. */
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  readonly kind: string;
}

const PATH = '/debug/objects';

/** All objects, with their validity; those with problems come first. */
export function objectsPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Objects',
    description: 'All configuration objects and whether they are valid; one object with its references and its effect',
    parameters: [
      { name: 'q', required: false, choice: { type: 'text' } },
      { name: 'kind', required: false, choice: { type: 'text' } },
      { name: 'page', required: false, choice: { type: 'text' } },
    ],
    model: (views, { query }) => {
      const { objects } = requireContext(views);
      const kind = query.get('kind') ?? '';
      const filter = query.get('q') ?? '';
      const problems = byObject(lastProblems(views));
      const tables = [...objects].filter(([name]) => (kind === '' ? !NUMEROUS_KINDS.has(name) : name === kind));
      const inForce = new Map(tables.flatMap(([, table]) => [...table]));
      const keys = new Set([...inForce.keys(), ...problems.keys()]);
      const rows = [...keys]
        .filter((key) => contains(filter, key) && (kind === '' || key.startsWith(`${kind}/`)))
        .map((key): Row => ({ key, object: inForce.get(key), problems: problems.get(key) ?? [] }))
        .toSorted((first, second) => weight(second) - weight(first) || compareText(first.key, second.key));
      return {
        query,
        kind,
        part: partOf(rows, query),
        kinds: [...objects]
          .map(([name, table]) => [name, table.size] as const)
          .filter(([, size]) => size > 0)
          .toSorted(([first], [second]) => compareText(first, second)),
      };
    },
    render: renderObjects,
    json: ({ part }) =>
      recordOf({
        matching: part.total,
        objects: listOf(part.items, ({ key, object, problems }) => ({
          object: key,
          version: object?.metadata.resourceVersion,
          ...(object?.derivedFrom && { madeFrom: object.derivedFrom }),
          problems,
        })),
      }),
  });
}

function byObject(problems: readonly ConfigProblem[]): ReadonlyMap<ObjectKey, readonly ConfigProblem[]> {
  const map = new Map<ObjectKey, ConfigProblem[]>();
  for (const problem of problems) {
    if (problem.object !== undefined) appendTo(map, problem.object, problem);
  }
  return map;
}

function weight({ problems }: Row): number {
  if (problems.some(isError)) return 2;
  return problems.length > 0 ? 1 : 0;
}

export function renderValidity(problems: readonly ConfigProblem[], isInForce: boolean): Html {
  const refused = problems.some(({ level }) => level === undefined);
  if (refused && !isInForce) return renderBadge('Rejected', 'bad');
  if (refused) return renderBadge('Change rejected', 'bad');
  if (problems.some(isError)) return renderBadge('Error', 'bad');
  return problems.length > 0 ? renderBadge('Warning', 'busy') : renderBadge('Valid', 'good');
}

function renderObjects({ query, part, kinds, kind }: Model): Html {
  const options = [['', 'every kind'], ...kinds.map(([name, size]) => [name, `${name} (${size})`] as const)] as const;
  return html`<div class="lead"><h1>Objects</h1><span class="quiet">${part.total} listed</span></div>
${renderFilter(PATH, query, 'Kind, namespace or name', renderOptions('kind', 'Kind', options as readonly (readonly [string, string])[], kind))}
${part.items.length === 0 ? html`<p class="empty">No object matches the filter.</p>` : renderRows(part.items)}
${renderPager(PATH, query, part)}`;
}

function renderRows(rows: readonly Row[]): Html {
  return renderTable<Row>(
    [
      {
        head: 'Object',
        cell: ({ key, object }) => {
          const link = objectLink(object === undefined ? key : keyOf(object), nameOf(key));
          const [source] = object?.derivedFrom ?? [];
          return source === undefined
            ? link
            : html`${link} <span class="quiet">made from ${objectLink(source, titleOf(source))}</span>`;
        },
      },
      { head: 'Kind', cell: ({ key }) => key.split('/')[0] },
      { head: 'Namespace', cell: ({ key }) => key.split('/')[1] },
      { head: 'State', cell: ({ problems, object }) => renderValidity(problems, object !== undefined) },
      { head: 'Problem', cell: ({ problems }) => problems[0]?.reason },
    ],
    rows,
  );
}

/** `Ingress shop/web` */
function titleOf(key: ObjectKey): string {
  return key.replace('/', ' ');
}

function nameOf(key: ObjectKey): string {
  return key.split('/').slice(2).join('/') || key;
}
