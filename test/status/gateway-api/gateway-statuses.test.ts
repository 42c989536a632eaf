import test from 'ava';
import { condition, type GatewayReport, type RouteReport } from '../../../src/model/gateway-api/report.js';
import { gatewayStatus, isStatusInPlace, routeStatus } from '../../../src/status/gateway-api/gateway-statuses.js';

const CONTROLLER = 'mesh.internal/gateway-controller';
const at = (time: string, present: Readonly<Record<string, unknown>> = {}) => ({
  present,
  generation: 2,
  now: new Date(`2026-01-01T00:00:${time}.500Z`),
});

const parentRef = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public' };
const routeWith = (isAccepted: boolean): RouteReport => ({
  key: 'HTTPRoute/shop/r',
  generation: 2,
  parents: [{ parentRef, conditions: [condition('Accepted', isAccepted, 'Accepted')] }],
});

test('parents of other controllers stay, and an equal report needs no write', (t) => {
  const other = { parentRef, controllerName: 'example.com/other', conditions: [] };
  const first = routeStatus(routeWith(true), at('01', { parents: [other] }), CONTROLLER);
  const [kept, own] = first['parents'] as readonly { readonly conditions: readonly object[] }[];
  t.deepEqual(kept as object, other);
  t.deepEqual(own?.conditions, [
    {
      ...{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 2 },
      lastTransitionTime: '2026-01-01T00:00:01Z',
    },
  ]);
  const again = routeStatus(routeWith(true), at('09', first), CONTROLLER);
  t.true(isStatusInPlace(again, first));
  const changed = routeStatus(routeWith(false), at('09', first), CONTROLLER);
  t.false(isStatusInPlace(changed, first));
  t.regex(JSON.stringify(changed), /00:00:09Z/);
});

test('a route that has no parent of this controller any more loses its own entries only', (t) => {
  const other = { parentRef, controllerName: 'example.com/other', conditions: [] };
  const present = routeStatus(routeWith(true), at('01', { parents: [other] }), CONTROLLER);
  const none = { ...routeWith(true), parents: [] };
  t.deepEqual(routeStatus(none, at('02', present), CONTROLLER), { parents: [other] });
  t.true(isStatusInPlace(routeStatus(none, at('02'), CONTROLLER), {}));
});

test('a listener whose Secret cannot be used is not programmed, and neither is a Gateway without another one', (t) => {
  const report: GatewayReport = {
    key: 'Gateway.gateway.networking.k8s.io/edge/public',
    generation: 2,
    conditions: [condition('Accepted', true, 'Accepted'), condition('Programmed', true, 'Programmed')],
    addresses: [],
    listeners: [
      {
        name: 'https',
        supportedKinds: [],
        attachedRoutes: 0,
        certificate: { namespace: 'edge', name: 'cert' },
        conditions: [condition('ResolvedRefs', true, 'ResolvedRefs'), condition('Programmed', true, 'Programmed')],
      },
    ],
  };
  const textOf = (problem: string | undefined) => {
    const { conditions, listeners } = gatewayStatus(report, at('01'), () => problem) as {
      readonly conditions: readonly { type: string; status: string; reason: string }[];
      readonly listeners: readonly {
        readonly conditions: readonly { type: string; status: string; reason: string }[];
      }[];
    };
    return [...conditions, ...(listeners[0]?.conditions ?? [])].map(
      (each) => `${each.type} ${each.status} ${each.reason}`,
    );
  };
  t.deepEqual(textOf(undefined), [
    ...['Accepted True Accepted', 'Programmed True Programmed'],
    ...['ResolvedRefs True ResolvedRefs', 'Programmed True Programmed'],
  ]);
  t.deepEqual(textOf('it does not exist'), [
    ...['Accepted True Accepted', 'Programmed False Invalid'],
    ...['ResolvedRefs False InvalidCertificateRef', 'Programmed False Invalid'],
  ]);
});
