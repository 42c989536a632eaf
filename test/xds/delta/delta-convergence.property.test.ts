import { deepStrictEqual } from 'node:assert/strict';
import test from 'ava';
import fc from '../../support/property-testing.js';
import { createRig } from '../session-rig.js';
import { checkResponse, connectSession, NODE, push, TYPES } from './delta-client.js';
import { deltaRequest, readDeltaResponse } from './delta-messages.js';

const NAMES = ['a', 'b', 'c', 'd'] as const;
/** Changes at the end of each history, and not before. */
const LAST = 'last';
const CONTENT = { cds: 'clusters', eds: 'endpoints', rds: 'routes' } as const;
type Type = keyof typeof CONTENT;

type Step =
  | { readonly do: 'change'; readonly type: Type; readonly name: string; readonly body: string | undefined }
  | { readonly do: 'subscribe' | 'unsubscribe'; readonly type: Type; readonly names: readonly string[] }
  | { readonly do: 'answer'; readonly rejects: boolean; readonly applies: boolean }
  | { readonly do: 'reconnect' };

const type = fc.constantFrom<Type>('cds', 'eds', 'rds');
const names = fc.uniqueArray(fc.constantFrom(...NAMES, '*'), { minLength: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      type,
      name: fc.constantFrom(...NAMES),
      body: fc.option(fc.constantFrom('1', '2'), { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('subscribe' as const, 'unsubscribe' as const), type, names }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('answer' as const), rejects: fc.boolean(), applies: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconnect' as const) }) },
);
/** A step, and whether the client reads the responses after it. */
const history = fc.array(fc.tuple(step, fc.boolean()), { minLength: 10, maxLength: 40, size: 'max' });

interface Held {
  readonly body: string;
  /** Undefined if the client rejected the response that had it: it then has no version to tell. */
  readonly version: string | undefined;
}

/** A client's state of one type. */
interface View {
  readonly subscribed: Set<string>;
  readonly held: Map<string, Held>;
  /** Nonces of responses that are not answered. */
  readonly unanswered: { readonly nonce: string; readonly rest: () => void; readonly commit: () => void }[];
  hasRequested: boolean;
}

/**
 * Plays a history, and returns what client and server then have of each type.
 *
 * @param onDemand the clusters that the client gets without asking; undefined for all
 */
async function play(steps: readonly (readonly [Step, boolean])[], onDemand?: readonly string[]) {
  const rig = createRig();
  rig.content.onDemand = onDemand;
  let connection = connectSession(rig);
  let read = 0;
  const newView = (): View => ({ subscribed: new Set(), held: new Map(), unanswered: [], hasRequested: false });
  const views: Record<Type, View> = { cds: newView(), eds: newView(), rds: newView() };
  const send = (to: Type, request: object): void => {
    views[to].hasRequested = true;
    void connection.session.receive(deltaRequest({ node: NODE, typeUrl: TYPES[to], ...request }));
  };
  const isAsked = (of: Type, name: string) =>
    views[of].subscribed.has(name) || (of === 'cds' && views[of].subscribed.has('*'));

  const isServed = (of: Type, name: string) =>
    of === 'cds' && onDemand?.includes(name) === false ? views[of].subscribed.has(name) : isAsked(of, name);

  const receive = (): void => {
    for (; read < connection.stream.sent.length; read++) {
      const message = connection.stream.sent[read];
      const response = readDeltaResponse(Buffer.concat(message?.pieces ?? []));
      checkResponse(response);
      const of = (Object.keys(CONTENT) as Type[]).find((each) => TYPES[each] === response.typeUrl) ?? 'cds';
      const { held, unanswered } = views[of];
      const apply = (isAccepted: boolean): void => {
        for (const { name, version, body } of response.resources) {
          if (!isAsked(of, name)) continue;
          held.set(name, { body: String(body), version: isAccepted ? version : undefined });
        }
        for (const name of response.removed) held.delete(name);
      };
      unanswered.push({ nonce: response.nonce, commit: () => apply(true), rest: () => apply(false) });
    }
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    receive();
  };
  const answer = (of: Type, rejects = false, applies = false): boolean => {
    const oldest = views[of].unanswered.shift();
    if (oldest === undefined) return false;
    if (!rejects) oldest.commit();
    // Envoy applies the valid clusters of a response that it rejects.
    else if (applies) oldest.rest();
    send(of, { nonce: oldest.nonce, ...(rejects ? { error: 'rejected' } : {}) });
    return true;
  };
  const subscribe = (to: Type, added: readonly string[]): void => {
    for (const name of added) views[to].subscribed.add(name);
    send(to, { subscribe: added });
  };

  const reconnect = (): void => {
    connection.client.close();
    connection = connectSession(rig);
    read = 0;
    for (const of of ['cds', 'eds', 'rds'] as const) {
      const { subscribed, held, unanswered } = views[of];
      unanswered.length = 0;
      views[of].hasRequested = false;
      if (subscribed.size === 0) continue;
      const versions: Record<string, string> = {};
      for (const [name, { version }] of held) {
        if (version !== undefined) versions[name] = version;
        // The protocol cannot tell a server about these, so the model's client drops them.
        else held.delete(name);
      }
      send(of, { subscribe: [...subscribed], versions });
    }
  };

  subscribe('cds', ['*']);
  subscribe('eds', NAMES);
  for (const [each, reads] of steps) {
    if (each.do === 'change') {
      const content = { ...rig.content[CONTENT[each.type]] };
      if (each.body === undefined) delete content[each.name];
      else content[each.name] = each.body;
      push({ rig }, { [CONTENT[each.type]]: content });
    } else if (each.do === 'subscribe') subscribe(each.type, each.names);
    else if (each.do === 'unsubscribe') {
      const { subscribed, held } = views[each.type];
      const known = each.names.filter((name) => subscribed.delete(name));
      for (const name of [...held.keys()]) if (!isAsked(each.type, name)) held.delete(name);
      if (known.length > 0) send(each.type, { unsubscribe: known });
    } else if (each.do === 'answer')
      (['cds', 'eds', 'rds'] as const).some((of) => answer(of, each.rejects, each.applies));
    else reconnect();
    if (reads) await settle();
  }
  await settle();
  // A rejected response is sent again only after a change, so one name of each type changes.
  for (const of of ['cds', 'eds', 'rds'] as const) {
    subscribe(of, [LAST]);
    push({ rig }, { [CONTENT[of]]: { ...rig.content[CONTENT[of]], [LAST]: '1' } });
  }
  await settle();
  while ((['cds', 'eds', 'rds'] as const).some((of) => answer(of))) await settle();
  connection.session.close();
  deepStrictEqual(rig.environment.peers.heldBytes, 0, 'bytes that closed streams keep');
  return (['cds', 'eds', 'rds'] as const).map((of) => ({
    type: of,
    client: Object.fromEntries([...views[of].held].map(([name, { body }]) => [name, body]).sort()),
    server: Object.fromEntries(
      Object.entries(rig.content[CONTENT[of]])
        .filter(([name]) => isServed(of, name))
        .map(([name, body]) => [name, `${name}=${body}`])
        .sort(),
    ),
  }));
}

test('D16: after any history a client has what the server has, and no response repeats a name', async (t) => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      for (const { type: of, client, server } of await play(steps)) deepStrictEqual(client, server, of);
    }),
    { numRuns: 400 },
  );
  t.pass();
});

test('D23: after any history a client on demand has what it asked for and what it needs from the start', async (t) => {
  await fc.assert(
    fc.asyncProperty(history, fc.uniqueArray(fc.constantFrom(...NAMES)), async (steps, onDemand) => {
      for (const { type: of, client, server } of await play(steps, onDemand)) deepStrictEqual(client, server, of);
    }),
    { numRuns: 200 },
  );
  t.pass();
});
