import type { ProxyConnection } from '../../model/proxy-connection.js';
import { compareText } from '../order.js';
import { type ProxyState, URGENCY } from '../proxy-state.js';
import type { Views } from '../views.js';
import { missingObjects, progressOf } from './behind.js';
import { dateIn, type Fields, textIn, textsIn } from './other-instances.js';
import type { ProxyRow } from './proxy-row.js';

/** A proxy in a list, of this instance or another one. */
export interface ListedProxy {
  /** Id of its connection. */
  readonly id: string;
  /** Node id. */
  readonly node: string;
  readonly name: string;
  readonly namespace: string;
  readonly peer: string;
  readonly version: string;
  readonly connectedAt: Date;
  readonly state: ProxyState;
  /** Objects that it lacks; undefined if that is not known. */
  readonly behind: number | undefined;
  /** The other instance that serves it; undefined for this one. */
  readonly instance: string | undefined;
  /** Its connection, if this instance serves it. */
  readonly connection?: ProxyConnection;
}

/** Without what it lacks. */
export function listedProxy({ connection, state }: ProxyRow): ListedProxy {
  const { id, proxy, peer, connectedAt } = connection;
  return {
    ...{ id, peer, connectedAt, state },
    ...{ node: proxy.id, name: proxy.name, namespace: proxy.configNamespace, version: proxy.version },
    behind: undefined,
    instance: undefined,
    connection,
  };
}

/** Adds what the proxy lacks, if this instance serves it. */
export function withProgress(proxy: ListedProxy, views: Views): ListedProxy {
  const { connection, state } = proxy;
  if (connection === undefined) return proxy;
  return { ...proxy, behind: state.type === 'current' ? 0 : missingObjects(progressOf(connection, views))?.size };
}

/** Characters of a rejection in a list, which may have a thousand of them. The page of the proxy has the whole text. */
const MAX_REJECTION_TEXT = 500;

/** The proxy as other instances and scripts read it. */
export function listedProxyJson({ node, id, state, connectedAt, connection: _, ...rest }: ListedProxy): object {
  return {
    ...{ proxy: node, connection: id, ...rest, connectedAt: connectedAt.toISOString(), state: state.type },
    ...(state.type === 'rejected'
      ? { rejections: state.rejections.map((text) => text.slice(0, MAX_REJECTION_TEXT)) }
      : {}),
  };
}

export function readListedProxy(fields: Fields, instance: string): ListedProxy {
  const { behind } = fields;
  return {
    ...{ id: textIn(fields, 'connection'), node: textIn(fields, 'proxy'), name: textIn(fields, 'name') },
    ...{ namespace: textIn(fields, 'namespace'), peer: textIn(fields, 'peer'), version: textIn(fields, 'version') },
    connectedAt: dateIn(fields, 'connectedAt'),
    state: readState(fields),
    behind: typeof behind === 'number' ? behind : undefined,
    instance,
  };
}

function readState(fields: Fields): ProxyState {
  const type = textIn(fields, 'state');
  if (type === 'rejected') return { type, rejections: textsIn(fields, 'rejections') };
  return { type: type === 'current' ? 'current' : 'waiting' };
}

/** In the order of the rows of one instance. */
export function compareListed(first: ListedProxy, second: ListedProxy): number {
  return (
    URGENCY[first.state.type] - URGENCY[second.state.type] ||
    compareText(first.node, second.node) ||
    compareText(first.id, second.id)
  );
}
